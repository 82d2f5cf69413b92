/** What a plugin pushes, read from untrusted data: a well-formed event within bounds, or why it is none. */
import type { Attachment, InboundMessage, PushEvent } from "../../protocol/push.ts";
import { cleanOutput } from "../../util/clean_output.ts";

type Fields = Record<string, unknown>;

const MAX_ID = 256;
const MAX_TEXT = 100_000;
const MAX_WAKE = 20_000;
const MAX_NOTICE = 2_000;
const MAX_ATTACHMENTS = 20;
const MAX_ATTACHED_CHARS = 10_000_000;
const MEDIA_TYPE = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,60}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const BUSY: readonly unknown[] = ["queue", "steer", "reject"];

/** Never throws. */
export function readEvent(value: unknown): PushEvent | string {
  const { kind, message, request, notice } = fieldsOf(value);
  try {
    if (kind === "message") return { kind, message: readMessage(fieldsOf(message)) };
    if (kind === "wake") {
      const { sessionId, text, busy = "queue" } = fieldsOf(request);
      if (!BUSY.includes(busy)) throw new Unreadable(`busy must be one of ${BUSY.join(", ")}`);
      return {
        kind,
        request: {
          sessionId: id("sessionId", sessionId),
          text: textOf("text", text, MAX_WAKE),
          busy: busy as "queue",
        },
      };
    }
    if (kind === "notice") {
      const { sessionId, text } = fieldsOf(notice);
      const line = cleanOutput(textOf("text", text, MAX_NOTICE)).replaceAll(/\s+/g, " ").trim();
      return { kind, notice: { sessionId: id("sessionId", sessionId), text: line } };
    }
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
  return "there is no such event";
}

class Unreadable extends Error {}

function readMessage(fields: Fields): InboundMessage {
  const { thread, userName, replyTo, group, mentioned, attachments = [] } = fields;
  return {
    platform: id("platform", fields.platform),
    id: id("id", fields.id),
    chat: id("chat", fields.chat),
    user: id("user", fields.user),
    text: textOf("text", fields.text, MAX_TEXT),
    ...(thread === undefined ? {} : { thread: id("thread", thread) }),
    ...(userName === undefined ? {} : { userName: cleanOutput(id("userName", userName)) }),
    ...(replyTo === undefined ? {} : { replyTo: id("replyTo", replyTo) }),
    ...(group === true ? { group } : {}),
    ...(mentioned === true ? { mentioned } : {}),
    ...readAttachments(attachments),
  };
}

function readAttachments(value: unknown): { attachments?: Attachment[] } {
  if (!Array.isArray(value) || value.length > MAX_ATTACHMENTS) {
    throw new Unreadable(`attachments must be a list of at most ${MAX_ATTACHMENTS}`);
  }
  let chars = 0;
  const attachments = value.map((item) => {
    const { name, mediaType, data } = fieldsOf(item);
    if (typeof mediaType !== "string" || !MEDIA_TYPE.test(mediaType)) {
      throw new Unreadable("mediaType must be a type such as image/png");
    }
    if (typeof data !== "string" || data.length % 4 !== 0 || !BASE64.test(data)) {
      throw new Unreadable("data must be base64");
    }
    chars += data.length;
    return { name: id("name", name), mediaType, data };
  });
  if (chars > MAX_ATTACHED_CHARS) {
    throw new Unreadable(`attachments are longer than ${MAX_ATTACHED_CHARS} characters`);
  }
  return attachments.length === 0 ? {} : { attachments };
}

function id(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "" && value.length <= MAX_ID) return value;
  throw new Unreadable(`${name} must be text of 1 to ${MAX_ID} characters`);
}

function textOf(name: string, value: unknown, maxChars: number): string {
  if (typeof value === "string" && value.length <= maxChars) return value;
  throw new Unreadable(`${name} must be text of at most ${maxChars} characters`);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}
