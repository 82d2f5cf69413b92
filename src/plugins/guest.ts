/**
 * The half of the plugin host that lives beside the plugin, in its process: imports it, lets it
 * register, and answers questions. `scripts/gen_plugins.ts` makes text of it for that process;
 * in-process plugins use it as it is. Holds no authority; everything it says is checked.
 */
import {
  type PluginCall,
  type PluginPlatform,
  PluginRecorder,
  type PluginTool,
} from "../plugin_api.ts";
import type { PlatformFacts } from "../protocol/plugin.ts";
import type { PushEvent, PushReceipt } from "../protocol/push.ts";
import { PushWindow } from "./guest_push.ts";
import { raiseNodeShim } from "./guest_shim.ts";
import type {
  CallFacts,
  GuestFailure,
  GuestMessage,
  HostMessage,
  Question,
  Registrations,
  RouteRequest,
  RouteResponse,
  ToolRecord,
} from "./messages.ts";

export interface GuestOptions {
  send(message: GuestMessage): void;
  receive(listener: (message: HostMessage) => void): void;
  load(url: string): Promise<unknown>;
}

/** What a plugin prints with: standard output is the answer's. */
const PRINTERS = ["log", "info", "debug", "warn", "error", "dir", "table", "trace"] as const;

const MAX_ANSWER_CHARS = 5_000_000;
/** Of a log line, of progress, of a failure: more is not shown. */
const MAX_TEXT_CHARS = 10_000;

/** Serves one plugin over a channel. */
export function startGuest(options: GuestOptions): void {
  const guest = new Guest(options);
  options.receive((message) => guest.handle(message));
}

class Guest {
  readonly #options: GuestOptions;
  readonly #running = new Map<number, AbortController>();
  readonly #window: PushWindow;
  #recorder = new PluginRecorder();
  #registered = false;

  constructor(options: GuestOptions) {
    this.#options = options;
    this.#window = new PushWindow((message) => options.send(message));
    const print = (...parts: unknown[]) => this.#log(parts.map(printed).join(" "));
    Object.assign(console, Object.fromEntries(PRINTERS.map((name) => [name, print])));
  }

  handle(message: HostMessage): void {
    if (message.t === "register") this.#register(message);
    else if (message.t === "ask") this.#answer(message.id, message.question);
    else if (message.t === "cancel") this.#running.get(message.id)?.abort();
    else if (message.t === "ack") this.#window.acknowledge(message.seq, message.receipt);
    else this.#options.send({ t: "pong" });
  }

  #log(text: string): void {
    this.#options.send({ t: "log", text: String(text).slice(0, MAX_TEXT_CHARS) });
  }

  async #register(message: HostMessage & { t: "register" }): Promise<void> {
    const { send } = this.#options;
    try {
      if (message.nodeShim) await raiseNodeShim();
      const module = await this.#options.load(message.main) as { register?: unknown };
      if (typeof module.register !== "function") {
        throw new Error("it does not export a function register(ctx)");
      }
      this.#recorder = new PluginRecorder({
        ...message,
        log: (text) => this.#log(text),
        push: (event) => this.#push(event),
      });
      try {
        await module.register(this.#recorder);
      } catch (error) {
        throw new Error(`register() failed: ${textOf(error)}`, { cause: error });
      }
      this.#registered = true;
      send({ t: "registered", registrations: recordsOf(this.#recorder) });
    } catch (error) {
      send({ t: "failed", message: textOf(error) });
    }
  }

  /** Before `register` has returned hermes does not know what the plugin may push. */
  #push(event: PushEvent): Promise<PushReceipt> {
    if (this.#registered) return this.#window.push(event);
    return Promise.reject(new Error("nothing can be pushed before register() has returned"));
  }

  async #answer(id: number, question: Question): Promise<void> {
    const { send } = this.#options;
    const abort = new AbortController();
    this.#running.set(id, abort);
    try {
      const value = await this.#run(id, question, abort.signal) ?? null;
      // What is longer would break the connection, and with it every other call.
      if ((JSON.stringify(value)?.length ?? 0) > MAX_ANSWER_CHARS) {
        throw new Error(`the answer is longer than ${MAX_ANSWER_CHARS / 1e6} million characters`);
      }
      send({ t: "result", id, value });
    } catch (error) {
      send({ t: "result", id, failure: failureOf(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #run(id: number, question: Question, signal: AbortSignal): Promise<unknown> {
    const { tools, commands, hooks, services, timers, routes } = this.#recorder;
    switch (question.kind) {
      case "tool": {
        const call = this.#call(id, question.facts, signal);
        return await found(tools, question.name).handler(question.args as never, call);
      }
      case "check":
        return await found(tools, question.name).check?.() ?? true;
      case "command": {
        const call = this.#call(id, question.facts, signal);
        return await found(commands, question.name).run(question.argument, call);
      }
      case "hook":
        return await hooks[question.index]!.hook(question.payload as never, signal);
      case "service": {
        const ready = () => this.#options.send({ t: "ready", id });
        return await found(services, question.name).run({ signal, ready });
      }
      case "health":
        return await found(services, question.name).health?.() ?? true;
      case "timer":
        return await found(timers, question.name).run({ signal });
      case "route": {
        const request = requestOf(question.request);
        return await responseData(
          await found(routes, question.path).handler(request, { signal }),
        );
      }
      case "platform":
        return await this.#runPlatform(question, signal);
      case "model":
        return await this.#runModel(id, question, signal);
    }
  }

  async #runPlatform(
    { name, action, message }: Question & { kind: "platform" },
    signal: AbortSignal,
  ): Promise<unknown> {
    const platform = found(this.#recorder.platforms, name);
    if (typeof platform[action] !== "function") throw new Error(`${name} cannot ${action}`);
    return await platform[action](message as never, { signal });
  }

  async #runModel(
    id: number,
    { name, request }: Question & { kind: "model" },
    signal: AbortSignal,
  ): Promise<void> {
    const events = found(this.#recorder.providers, name).stream(request, { signal });
    for await (const value of events) this.#options.send({ t: "chunk", id, value });
  }

  #call(id: number, facts: CallFacts, signal: AbortSignal): PluginCall {
    const { send } = this.#options;
    const progress = (text: string) => {
      send({ t: "progress", id, text: String(text).slice(0, MAX_TEXT_CHARS) });
    };
    return { ...facts, signal, progress };
  }
}

function found<T>(table: ReadonlyMap<string, T>, name: string): T {
  const value = table.get(name);
  if (value === undefined) throw new Error(`"${name}" is not registered any more`);
  return value;
}

function recordsOf(recorder: PluginRecorder): Registrations {
  return {
    tools: [...recorder.tools.values()].map(toolRecord),
    hooks: recorder.hooks.map(({ hook: _, ...record }, index) => ({ ...record, index })),
    commands: [...recorder.commands.values()].map(({ run: _, ...record }) => record),
    skills: recorder.skills,
    sections: recorder.sections,
    services: [...recorder.services.values()].map(({ name, health }) => {
      return { name, checked: Boolean(health) };
    }),
    timers: [...recorder.timers.values()].map(({ name, everyMs }) => ({ name, everyMs })),
    routes: [...recorder.routes.values()].map(({ path, methods = ["POST"] }) => {
      return { path, methods };
    }),
    platforms: [...recorder.platforms.values()].map(platformFacts),
    providers: [...recorder.providers.values()].map(({ name, models }) => ({ name, models })),
  };
}

function platformFacts(platform: PluginPlatform): PlatformFacts {
  const { name, maxChars = 4_000, format = "plain", edit, showTyping } = platform;
  return { name, maxChars, format, canEdit: Boolean(edit), canShowTyping: Boolean(showTyping) };
}

function toolRecord({ handler: _, check, ...facts }: PluginTool): ToolRecord {
  return { ...facts, schema: facts.schema as Record<string, unknown>, checked: Boolean(check) };
}

function failureOf(error: unknown): GuestFailure {
  const message = textOf(error).slice(0, MAX_TEXT_CHARS);
  const { name, extra } = (error ?? {}) as { name?: unknown; extra?: Record<string, unknown> };
  return name === "ToolError" ? { message, extra: extra ?? {} } : { message };
}

const MAX_STACK_CHARS = 4000;
/** A file of the plugin by its author's name, in a stack. */
const PLACE = /\/modules\/(?!\.hermes\/)(\S+?\.\w+?)(?:\.js)?(:\d+:\d+)/;
/** The runtime's advice, which is for people who start it themselves. */
const RUN_AGAIN = /, run again with the --allow-(\w+) flag/;

/** What an author said in words stays as it is; of a bug one must know where it is. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack = "" } = error;
  if (name === "Error" || name === "ToolError") return message;
  const [, file, position] = PLACE.exec(stack.slice(0, MAX_STACK_CHARS)) ?? [];
  const said = message.replace(RUN_AGAIN, ", which permissions.$1 of its manifest does not name");
  return `${name}: ${said}${file === undefined ? "" : ` (${file}${position})`}`;
}

function printed(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value);
}

/** The request as a handler gets it. */
function requestOf({ method, url, headers, body }: RouteRequest): Request {
  const bytes = Uint8Array.fromBase64(body);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, { method, headers, ...(hasBody ? { body: bytes } : {}) });
}

/** The response as hermes gets it. @throws when the handler answered something else. */
async function responseData(response: unknown): Promise<RouteResponse> {
  if (!(response instanceof Response)) throw new TypeError("a route must answer a Response");
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: [...response.headers], body: bytes.toBase64() };
}
