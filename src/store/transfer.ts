/**
 * Sessions as JSON lines and back, without loss: exporting what was imported gives the same bytes.
 * A `session` line begins a session; its `blob`, `message`, `usage` and `script_call` lines follow.
 */
import { UsageError } from "../protocol/error.ts";
import type { Message } from "../protocol/message.ts";
import { createId } from "../util/id.ts";
import type { BlobStore } from "./blobs.ts";
import { blobRefs, type ScriptCallRecord, type SessionRecord, type UsageRecord } from "./record.ts";
import type { Store } from "./store.ts";
import { checkScriptCall, checkSession, checkStoredMessage, checkUsageRecord } from "./validate.ts";

const FORMAT = 1;

export interface Archive {
  store: Store;
  blobs: BlobStore;
}

/** What became of one session of an import. */
export interface Imported {
  id: string;
  /** `copied`: its id was taken by another session, so it got a new one. */
  outcome: "added" | "unchanged" | "copied";
  /** The id in the file. */
  originalId: string;
}

interface ParsedSession {
  lines: string[];
  session: SessionRecord;
  blobs: { bytes: Uint8Array<ArrayBuffer>; ref: string; where: string }[];
  messages: { createdAt: number; message: Message }[];
  usage: UsageRecord[];
  scriptCalls: ScriptCallRecord[];
}

/** The lines of one session, without line ends. */
export async function* exportSession(archive: Archive, id: string): AsyncGenerator<string> {
  const { store, blobs } = archive;
  const found = store.getSession(id);
  if (found === undefined) throw new UsageError(`there is no session ${id}`);
  // What its opener asked for stays here: a session from a file gives no instructions.
  const { ownPrompt: _, ...session } = found;
  yield JSON.stringify({ type: "session", format: FORMAT, session });
  const messages = store.messages(id);
  for (const ref of new Set(messages.flatMap(({ message }) => blobRefs(message)))) {
    const bytes = await blobs.get(ref);
    if (bytes !== undefined) yield JSON.stringify({ type: "blob", ref, data: bytes.toBase64() });
  }
  for (const { createdAt, message } of messages) {
    yield JSON.stringify({ type: "message", createdAt, message });
  }
  for (const record of store.usageOf(id)) yield JSON.stringify({ type: "usage", ...record });
  for (const call of store.scriptCallsOf(id)) {
    yield JSON.stringify({ type: "script_call", ...call });
  }
}

/**
 * Adds every session in `text`; nothing is added when any line is wrong.
 * @throws {UsageError} naming the line.
 */
export async function importSessions(archive: Archive, text: string): Promise<Imported[]> {
  const parsed = parse(text);
  for (const { bytes, ref, where } of parsed.flatMap((one) => one.blobs)) {
    if (await archive.blobs.put(bytes) !== ref) {
      throw new UsageError(`${where}: the data of ${ref} is not what its name says`);
    }
  }
  const existing = new Map<string, string>();
  for (const { session: { id } } of parsed) {
    if (archive.store.getSession(id) === undefined) continue;
    existing.set(id, (await Array.fromAsync(exportSession(archive, id))).join("\n"));
  }
  return archive.store.transaction(() => {
    const renamed = new Map<string, string>();
    return parsed.map((one) => addSession(archive.store, one, { existing, renamed }));
  });
}

function addSession(
  store: Store,
  parsed: ParsedSession,
  ids: { existing: ReadonlyMap<string, string>; renamed: Map<string, string> },
): Imported {
  const originalId = parsed.session.id;
  const present = ids.existing.get(originalId);
  if (present === parsed.lines.join("\n")) {
    return { id: originalId, originalId, outcome: "unchanged" };
  }
  const taken = present !== undefined || store.getSession(originalId) !== undefined;
  const id = taken ? createId() : originalId;
  if (taken) ids.renamed.set(originalId, id);
  const parentId = ids.renamed.get(parsed.session.parentId ?? "") ?? parsed.session.parentId;
  store.insertSession({ ...parsed.session, id, ...(parentId !== undefined && { parentId }) });
  store.markImported(id);
  for (const { message, createdAt } of parsed.messages) store.insertMessage(id, message, createdAt);
  for (const record of parsed.usage) store.recordUsage(id, record);
  for (const call of parsed.scriptCalls) store.logScriptCall(id, call);
  return { id, originalId, outcome: taken ? "copied" : "added" };
}

function parse(text: string): ParsedSession[] {
  const sessions: ParsedSession[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const where = `line ${index + 1}`;
    const value = parseLine(line, where);
    if (value["type"] === "session") {
      sessions.push(beginSession(value, where));
    }
    const current = sessions.at(-1);
    if (current === undefined) throw new UsageError(`${where}: a "session" line must come first`);
    current.lines.push(line);
    addLine(current, value, where);
  }
  if (sessions.length === 0) throw new UsageError("there is no session in this file");
  return sessions;
}

function parseLine(line: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below, as for any other line that is not an object.
  }
  throw new UsageError(`${where} is no JSON object`, {
    hint: "`hermes sessions export` writes the format that import reads.",
  });
}

function beginSession(value: Record<string, unknown>, where: string): ParsedSession {
  if (value["format"] !== FORMAT) {
    throw new UsageError(`${where}: format ${value["format"]} is unknown, expected ${FORMAT}`);
  }
  const session = checkSession(value["session"], where);
  return { lines: [], session, blobs: [], messages: [], usage: [], scriptCalls: [] };
}

function addLine(target: ParsedSession, value: Record<string, unknown>, where: string): void {
  const { type, ...fields } = value;
  switch (type) {
    case "session":
      return;
    case "blob":
      target.blobs.push({
        bytes: decode(fields["data"], where),
        ref: String(fields["ref"]),
        where,
      });
      return;
    case "message":
      target.messages.push(checkStoredMessage(fields, where));
      return;
    case "usage":
      target.usage.push(checkUsageRecord(fields, where));
      return;
    case "script_call":
      target.scriptCalls.push(checkScriptCall(fields, where));
      return;
    default:
      throw new UsageError(`${where}: unknown type "${type}"`);
  }
}

function decode(data: unknown, where: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(data as string);
  } catch (cause) {
    throw new UsageError(`${where}: "data" is no base64`, { cause });
  }
}
