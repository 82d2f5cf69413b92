/**
 * `hermes` on a terminal: a line-based chat over the session engine. Ctrl-C interrupts the
 * turn, a second one quits; what is typed while a turn runs steers it.
 */
import { EXIT, HermesError, UsageError } from "../../protocol/error.ts";
import type { HostCommand, PluginHost } from "../../plugins/host.ts";
import type { Session } from "../../session/session.ts";
import { nearest } from "../../util/nearest.ts";
import type { CommandInput } from "../command.ts";
import { err, out, useColor } from "../io.ts";
import { createTerminalApprover, createTerminalClarifier } from "../prompt/ask.ts";
import { createStdTerminal, TerminalInput } from "../prompt/terminal_input.ts";
import { ChatView } from "../render/chat_view.ts";
import { createStyle } from "../render/style.ts";
import { SLASH_COMMANDS, type SlashContext } from "../slash/slash.ts";
import { openFromFlags } from "./open_session.ts";
import { resumeCommand } from "./run_end.ts";
import { readSessionChoices, type SessionChoices } from "./run_options.ts";

const LEAVE_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Runs the chat until the person leaves. */
export async function main(input: CommandInput): Promise<number> {
  if (!Deno.stdin.isTerminal()) {
    throw new UsageError("chat needs a terminal", { hint: 'Without one use: hermes run "…"' });
  }
  const choices = readSessionChoices(input);
  const chat = new Chat(choices);
  try {
    return await chat.run();
  } finally {
    await chat.close();
  }
}

class Chat {
  #choices: SessionChoices;
  #terminal = new TerminalInput(createStdTerminal());
  #style = createStyle(useColor("stdout"));
  #session: Session | undefined;
  #plugins: PluginHost | undefined;
  #turn: AbortController | undefined;
  /** A plugin's command that runs. */
  #command: AbortController | undefined;
  #leaving = new AbortController();
  #ended = false;
  /** The next Ctrl-C leaves. */
  #warned = false;
  #showReasoning = false;

  constructor(choices: SessionChoices) {
    this.#choices = choices;
    this.#terminal.onStray = (line) => this.#steer(line);
  }

  async run(): Promise<number> {
    const interrupt = () => this.#interrupt();
    const leave = () => this.#leave();
    Deno.addSignalListener("SIGINT", interrupt);
    for (const signal of LEAVE_SIGNALS) Deno.addSignalListener(signal, leave);
    try {
      this.#session = await this.#open(this.#choices);
      this.#banner();
      while (!this.#leaving.signal.aborted) {
        const line = await this.#terminal.readLine(this.#style.bold("> "), this.#leaving.signal);
        if (line === undefined) break;
        this.#warned = false;
        if (line.trim() !== "") await this.#handle(line.trim());
      }
      return this.#ended ? EXIT.interrupted : EXIT.done;
    } finally {
      for (const signal of LEAVE_SIGNALS) Deno.removeSignalListener(signal, leave);
      Deno.removeSignalListener("SIGINT", interrupt);
    }
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return;
    await this.#end(this.#session);
    if (!this.#choices.persist) return;
    const { id } = this.#session;
    err(`\nResume with: ${resumeCommand(this.#choices, { command: ["hermes"], id })}\n`);
  }

  async #end(session: Session): Promise<void> {
    try {
      await session.finish("done");
    } finally {
      await session.close();
    }
  }

  async #open(choices: SessionChoices): Promise<Session> {
    const { session, settings, plugins } = await openFromFlags(choices, {
      source: "chat",
      offersOffline: true,
      approver: createTerminalApprover(this.#terminal),
      clarifier: createTerminalClarifier(this.#terminal),
      confirm: async (question) =>
        /^y(es)?$/i.test(await this.#terminal.readLine(`${question} [y/N] `) ?? ""),
      tell: (line) => this.#terminal.note(line),
    });
    this.#plugins = plugins;
    this.#showReasoning = choices.verbose || settings.config.display.show_reasoning;
    return session;
  }

  #banner(replaced?: string): void {
    const session = this.#session!;
    session.start(replaced);
    const resumed = session.resumed ? " (resumed)" : "";
    out(this.#style.dim(`hermes · ${session.model} · session ${session.id}${resumed} · /help\n`));
    for (const { id, tools } of this.#plugins?.statuses ?? []) {
      if (tools.length > 0) out(this.#style.dim(`${id}: ${tools.join(", ")}\n`));
    }
  }

  async #handle(line: string): Promise<void> {
    try {
      if (line.startsWith("/")) await this.#slash(line);
      else await this.#send(line);
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      err(
        `${this.#style.red(error.message)}\n${error.hint === undefined ? "" : `  ${error.hint}\n`}`,
      );
    }
  }

  async #send(line: string): Promise<void> {
    this.#turn = new AbortController();
    const view = new ChatView({ style: this.#style, verbose: this.#showReasoning });
    const { signal } = this.#turn;
    try {
      const content = [{ type: "text" as const, text: line }];
      for await (const event of this.#session!.send(content, { signal })) out(view.fold(event));
    } finally {
      this.#turn = undefined;
    }
  }

  async #slash(line: string): Promise<void> {
    const [name = ""] = line.slice(1).split(/\s+/);
    const argument = line.slice(1 + name.length).trim();
    const command = SLASH_COMMANDS.find((one) => one.name === name);
    if (command) return await command.run(argument, this.#context());
    const brought = this.#plugins?.commands ?? [];
    const found = brought.find((one) => one.name === name);
    if (found) return await this.#runBrought(found, argument);
    const close = nearest(name, [...SLASH_COMMANDS, ...brought].map((one) => one.name));
    err(
      `No command /${name}.${close === undefined ? "" : ` Did you mean /${close}?`} Try /help.\n`,
    );
  }

  async #runBrought(command: HostCommand, argument: string): Promise<void> {
    this.#command = new AbortController();
    try {
      out(await command.run(argument, this.#command.signal), { styled: false });
    } finally {
      this.#command = undefined;
    }
  }

  #context(): SlashContext {
    const session = () => this.#session!;
    return {
      get session() {
        return session();
      },
      plugins: this.#plugins,
      write: out,
      reopen: (changes) => this.#reopen(changes),
      quit: () => this.#leaving.abort(),
    };
  }

  /** Opens the other session first: when that fails, this one goes on. */
  async #reopen(changes: Partial<SessionChoices>): Promise<void> {
    const { resume: _resume, resumeHere: _here, ...kept } = this.#choices;
    const next = { ...kept, resumeHere: false, ...changes };
    const opened = await this.#open(next);
    if (this.#session) await this.#end(this.#session);
    // One that goes on, or another that is gone on with, was not reset.
    const replaced = changes.resume === undefined ? this.#session?.id : undefined;
    this.#choices = next;
    this.#session = opened;
    this.#banner(replaced);
  }

  #steer(line: string): void {
    if (this.#turn && line.trim() !== "") this.#session?.steer(line.trim());
  }

  /** The terminal is gone, or somebody ends us: nothing that was started may stay behind. */
  #leave(): void {
    this.#ended = true;
    this.#running?.abort(new Error("the terminal is gone"));
    this.#leaving.abort();
  }

  get #running(): AbortController | undefined {
    return this.#turn ?? this.#command;
  }

  #interrupt(): void {
    const running = this.#running;
    if (running && !running.signal.aborted) {
      running.abort(new Error("interrupted"));
      this.#warned = true;
      return;
    }
    if (this.#warned) {
      this.#leaving.abort();
      return;
    }
    this.#warned = true;
    err("\n(Ctrl-C again to quit)\n> ");
  }
}
