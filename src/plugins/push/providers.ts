/**
 * Model providers that plugins bring: the stream of a plugin's process as a `Provider`. Everything
 * that comes is checked; whatever goes wrong ends in one classified failure.
 */
import { zeroUsage } from "../../protocol/message.ts";
import type { AssistantMessage, AssistantPart, StopReason, Usage } from "../../protocol/message.ts";
import type { ProviderHandle } from "../../protocol/plugin.ts";
import type {
  FailureAction,
  FailureKind,
  ModelInfo,
  ModelRequest,
  Provider,
  ProviderEvent,
} from "../../protocol/provider.ts";
import { EventQueue } from "../../util/event_queue.ts";
import type { ProviderRecord } from "../messages.ts";
import type { Plugin } from "../plugin.ts";
import { GuestGone, PluginProblem, reasonOf } from "../problem.ts";

/** Characters of one answer, read or not. */
const MAX_ANSWER_CHARS = 8_000_000;
const STOPS: readonly unknown[] = ["end", "tool_calls", "length", "content_filter"];
const ACTIONS: Readonly<Record<FailureKind, FailureAction>> = {
  "rate_limit": "retry",
  overloaded: "retry",
  network: "retry",
  timeout: "retry",
  overflow: "overflow",
  auth: "auth",
  billing: "fallback",
  "not_found": "fallback",
  "content_filter": "fatal",
  malformed: "fatal",
  "invalid_request": "fatal",
  aborted: "fatal",
};

type Fields = Record<string, unknown>;

/** The handle of one provider. */
export function providerHandle(
  { id, plugin }: { id: string; plugin: Plugin },
  { name, models }: ProviderRecord,
): ProviderHandle {
  return {
    plugin: id,
    name,
    models,
    open(modelId) {
      const model = models.find((one) => one.id === modelId);
      if (model !== undefined) return new GuestProvider({ plugin, name, model });
      const known = models.map((one) => one.id).join(", ");
      throw new PluginProblem(`${name} (plugin ${id}) has no model "${modelId}"`, {
        hint: `It has: ${known}`,
      });
    },
  };
}

class GuestProvider implements Provider {
  readonly name: string;
  readonly model: ModelInfo;
  readonly #plugin: Plugin;

  constructor({ plugin, name, model }: { plugin: Plugin; name: string; model: ModelInfo }) {
    this.#plugin = plugin;
    this.name = name;
    this.model = model;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    const queue = new EventQueue<unknown>();
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const question = {
      kind: "model",
      name: this.name,
      request: { ...request, model: this.model.id },
    } as const;
    let chars = 0;
    const onChunk = (value: unknown) => {
      chars += JSON.stringify(value)?.length ?? 0;
      if (chars <= MAX_ANSWER_CHARS) queue.push(value);
      else queue.fail(new Error("its answer is too long"));
    };
    const asking = this.#plugin.ask(question, { signal: both, onChunk })
      .then(() => queue.close(), (error) => queue.fail(error));
    try {
      for await (const value of queue) {
        const event = this.#read(value);
        yield event;
        if (event.type === "end" || event.type === "failure") return;
      }
      throw new Error("its answer stopped in the middle");
    } catch (error) {
      const isGone = error instanceof GuestGone || error instanceof PluginProblem;
      if (signal.aborted) yield failure("aborted", "interrupted");
      // A process that ended is started again.
      else {yield failure(
          isGone ? "network" : "malformed",
          `${this.name} failed: ${reasonOf(error)}`,
        );}
    } finally {
      stop.abort();
      await asking;
    }
  }

  /** @throws when it is no event. */
  #read(value: unknown): ProviderEvent {
    const event = fieldsOf(value);
    switch (event.type) {
      case "text_delta":
      case "reasoning_delta":
        return { type: event.type, text: text(event.text) };
      case "tool_call_delta":
        return {
          type: event.type,
          index: amount(event.index),
          id: text(event.id),
          name: text(event.name),
          arguments: text(event.arguments),
        };
      case "end":
        return { type: "end", message: this.#message(fieldsOf(event.message)) };
      case "failure": {
        const { kind, message, status, retryAfterMs } = fieldsOf(event.failure);
        const known = typeof kind === "string" && Object.hasOwn(ACTIONS, kind);
        const base = failure(
          known ? kind as FailureKind : "malformed",
          reasonOf(text(message)),
        );
        return {
          ...base,
          failure: {
            ...base.failure,
            ...(typeof status === "number" ? { status } : {}),
            ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
          },
        };
      }
      default:
        throw new Error("it sent something that is no event of a model");
    }
  }

  /** The names are hermes' own: a plugin cannot answer in the name of another provider. */
  #message({ content, stopReason, usage }: Fields): AssistantMessage {
    if (!Array.isArray(content) || !STOPS.includes(stopReason)) {
      throw new Error("its answer has no content or no reason to stop");
    }
    return {
      role: "assistant",
      content: content.map(readPart),
      stopReason: stopReason as StopReason,
      provider: this.name,
      model: this.model.id,
      ...(usage === undefined ? {} : { usage: readUsage(fieldsOf(usage)) }),
    };
  }
}

function readPart(value: unknown): AssistantPart {
  const part = fieldsOf(value);
  if (part.type === "text") return { type: "text", text: text(part.text) };
  if (part.type === "reasoning") {
    const opaque = part.opaque === undefined ? {} : { opaque: part.opaque };
    return { type: "reasoning", text: text(part.text), ...opaque };
  }
  if (part.type === "tool_call") {
    const { type, id, name, arguments: args } = part;
    return { type, id: text(id), name: text(name), arguments: text(args) };
  }
  throw new Error("its answer has a part that is neither text, reasoning nor a call");
}

function readUsage(fields: Fields): Usage {
  const usage = zeroUsage();
  const counts = Object.keys(usage).map((key) => [key, amount(fields[key] ?? 0)]);
  const { costUsd } = fields;
  return {
    ...usage,
    ...Object.fromEntries(counts),
    ...(typeof costUsd === "number" && costUsd >= 0 ? { costUsd } : {}),
  };
}

function failure(kind: FailureKind, message: string): ProviderEvent & { type: "failure" } {
  return { type: "failure", failure: { kind, action: ACTIONS[kind], message } };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error("it sent something else where text belongs");
}

function amount(value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  throw new Error("it sent something else where a number belongs");
}
