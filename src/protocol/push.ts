/**
 * What a plugin may tell hermes without being asked, and what it is told back: messages from chats,
 * requests for a turn, lines for those who watch. Types only; authors of plugins read them too.
 */

/** A file that came with a message. */
export interface Attachment {
  name: string;
  mediaType: string;
  /** The bytes as base64; 10 million characters for all attachments of a message. */
  data: string;
}

/** A message that came in from a chat. */
export interface InboundMessage {
  /** A platform that the plugin registers. */
  platform: string;
  /** The platform's own id of the message: a second one with the same id is taken as a repetition. */
  id: string;
  chat: string;
  thread?: string;
  /** Who wrote it, by the platform's id. */
  user: string;
  userName?: string;
  text: string;
  /** More than two people may read the chat. */
  group?: boolean;
  /** The message addresses the bot: by name or as a reply. */
  mentioned?: boolean;
  /** The id of the message that this one answers. */
  replyTo?: string;
  attachments?: Attachment[];
}

/** A message that is to be sent to a chat. */
export interface OutboundMessage {
  chat: string;
  thread?: string;
  text: string;
  replyTo?: string;
  /** The same at every attempt to send this message: hand it on where the platform knows such keys. */
  key: string;
}

/** What the platform calls a message that was sent. */
export interface SentMessage {
  id: string;
}

/** Text that begins a turn of a session without a person. */
export interface WakeRequest {
  /** A session that uses the plugin: tools and hooks are told its id. */
  sessionId: string;
  text: string;
  /** When a turn runs already: wait (the default), tell the model in the running turn, or give up. */
  busy?: "queue" | "steer" | "reject";
}

/** A line for those who watch a session; the model does not see it. */
export interface SessionNotice {
  sessionId: string;
  text: string;
}

export type PushEvent =
  | { kind: "message"; message: InboundMessage }
  | { kind: "wake"; request: WakeRequest }
  | { kind: "notice"; notice: SessionNotice };

/** What became of a pushed event. A message that is accepted is stored: tell the platform only now. */
export type PushReceipt =
  | { status: "accepted" }
  /** Input that waits for its turn; 1 is next. */
  | { status: "queued"; position: number }
  /** One line that says why nothing happens; `retry` when the same may be taken later. */
  | { status: "rejected"; reason: string; retry: boolean };
