/**
 * Collects the pieces of an answer into message parts, in the order they began, and turns
 * each piece into its event. Shared by all wire formats; knows none of them.
 */
import type {
  AssistantPart,
  ReasoningPart,
  StopReason,
  TextPart,
  ToolCallPart,
} from "../protocol/message.ts";
import type { ProviderEvent } from "../protocol/provider.ts";
import { isDeeperThan, MAX_ARGUMENT_DEPTH } from "../util/json_depth.ts";

/** Far beyond any context window: sums of such counts stay exact. */
const MAX_COUNT = 1e9;
/** No tool has a longer name; what is longer would go out again with every request. */
const MAX_NAME_CHARS = 200;
/** Many times what a model can say at once. Every later step works on all of it. */
const MAX_ANSWER_CHARS = 16 * 1024 * 1024;
/** Of one call: what is longer was never written by a model, and goes on as a call that was cut. */
const MAX_ARGUMENTS_CHARS = 2 * 1024 * 1024;

export interface ToolCallPiece {
  id?: string;
  name?: string;
  arguments?: string;
}

export class PartsBuilder {
  #parts: AssistantPart[] = [];
  #calls = new Map<string, ToolCallPart>();
  #indices = new Map<string, number>();
  #idPrefix: string;
  #chars = 0;

  /** `idPrefix` names calls that came without an id; it must differ between turns but not between replays. */
  constructor(idPrefix: string) {
    this.#idPrefix = idPrefix;
  }

  /** Appends answer text. */
  text(text: string): ProviderEvent[] {
    if (text === "") return [];
    this.hold(text);
    const last = this.#parts.at(-1);
    if (last?.type === "text") last.text += text;
    else this.#parts.push({ type: "text", text } satisfies TextPart);
    return [{ type: "text_delta", text }];
  }

  /** Appends reasoning text to the last part, or begins one. */
  reasoning(text: string): ProviderEvent[] {
    if (text === "") return [];
    this.hold(text);
    const last = this.#parts.at(-1);
    if (last?.type === "reasoning" && last.opaque === undefined) last.text += text;
    else this.reasoningPart({ type: "reasoning", text });
    return [{ type: "reasoning_delta", text }];
  }

  /** Counts text that the caller keeps beside the parts. @throws RangeError when the answer has no end. */
  hold(text: string): void {
    this.#chars += text.length;
    if (this.#chars > MAX_ANSWER_CHARS) throw new RangeError("it is far too long");
  }

  /** Adds a reasoning part that the caller goes on filling, and holds the text of. */
  reasoningPart(part: ReasoningPart): ReasoningPart {
    this.#parts.push(part);
    return part;
  }

  /** Adds a piece to the call the wire knows by `key`. */
  toolCall(key: string, piece: ToolCallPiece): ProviderEvent[] {
    let call = this.#calls.get(key);
    if (call === undefined) {
      const id = piece.id || `${this.#idPrefix}_${this.#calls.size}`;
      call = { type: "tool_call", id, name: "", arguments: "" };
      this.#indices.set(key, this.#calls.size);
      this.#calls.set(key, call);
      this.#parts.push(call);
    } else if (piece.id) call.id = piece.id;
    if (piece.name) call.name = piece.name.slice(0, MAX_NAME_CHARS);
    const room = MAX_ARGUMENTS_CHARS - call.arguments.length;
    const text = (piece.arguments ?? "").slice(0, room);
    this.hold(text);
    call.arguments += text;
    const index = this.#indices.get(key)!;
    return [{ type: "tool_call_delta", index, id: call.id, name: call.name, arguments: text }];
  }

  /** The call begun under `key`, if any. */
  call(key: string): Readonly<ToolCallPart> | undefined {
    return this.#calls.get(key);
  }

  get parts(): AssistantPart[] {
    return this.#parts;
  }

  /** A model that calls tools did not end its turn, whatever its server says. */
  stopReason(said: StopReason): StopReason {
    return said === "end" && this.#calls.size > 0 ? "tool_calls" : said;
  }
}

/** Id prefix for calls without one: the same request gives the same ids. */
export function callIdPrefix(messageCount: number): string {
  return `call_${messageCount}`;
}

/** Arguments as an object, for formats that want one; `{}` for what never was one. */
export function historyArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      // The call was refused for it, and a request that holds it could not be written.
      if (isDeeperThan(value, MAX_ARGUMENT_DEPTH)) return {};
      return value as Record<string, unknown>;
    }
  } catch {
    // A call the model cut short: its error result follows in the history and says so.
  }
  return {};
}

/** Arguments as text: the model's own bytes where they are an object, so that the prompt cache holds. */
export function historyArgumentsText(text: string): string {
  return Object.keys(historyArguments(text)).length === 0 ? "{}" : text;
}

/** What a table says of a name that a server chose; undefined for names that every object has. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A count that a server states; nonsense counts as nothing. */
export function countOf(value: unknown): number {
  return typeof value === "number" && value >= 0 && value <= MAX_COUNT ? Math.round(value) : 0;
}
