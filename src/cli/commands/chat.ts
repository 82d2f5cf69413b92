/**
 * `hermes` on a terminal: a line-based chat, a listener of one session of a host. Ctrl-C interrupts
 * the turn, a second one quits; what is typed while a turn runs steers it.
 */
import type { Host } from "../../host/host.ts";
import type { PluginHost } from "../../plugins/plugin_host.ts";
import type { ApprovalPolicy } from "../../protocol/approval.ts";
import { EXIT, HermesError, UsageError } from "../../protocol/error.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { SandboxMode } from "../../protocol/sandbox.ts";
import type { SessionSpec } from "../../protocol/session_spec.ts";
import type { Session } from "../../session/session.ts";
import { nearest } from "../../util/nearest.ts";
import type { CommandInput } from "../command.ts";
import { KeyPresses } from "../interrupt.ts";
import { err, out, useColor } from "../io.ts";
import { TerminalQuestions } from "../prompt/questions.ts";
import { createStdTerminal, TerminalInput } from "../prompt/terminal_input.ts";
import { ChatView } from "../render/chat_view.ts";
import { wallWords } from "../render/progress.ts";
import { createStyle } from "../render/style.ts";
import { SessionListener } from "../session_listener.ts";
import { SLASH_COMMANDS, type SlashContext } from "../slash/slash.ts";
import { openerOf, openHost } from "./open_session.ts";
import { resumeCommand } from "./run/end.ts";
import { readSessionChoices, type SessionChoices } from "./run/options.ts";

const LEAVE_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/** Runs the chat until the person leaves. */
export async function main(input: CommandInput): Promise<number> {
  if (!Deno.stdin.isTerminal()) {
    throw new UsageError("chat needs a terminal", { hint: 'Without one use: hermes run "…"' });
  }
  const choices = readSessionChoices(input, "chat");
  const host = await openHost(choices);
  const chat = new Chat(host, choices);
  try {
    return await chat.run();
  } finally {
    await chat.close();
  }
}

/** The session on the screen, and what shows it. */
interface Seat {
  session: Session;
  listener: SessionListener;
  plugins: PluginHost | undefined;
}

class Chat {
  readonly #host: Host;
  readonly #terminal = new TerminalInput(createStdTerminal());
  readonly #style = createStyle(useColor("stdout"));
  readonly #leaving = new AbortController();
  readonly #presses = new KeyPresses();
  #choices: SessionChoices;
  #seat: Seat | undefined;
  /** Something that was asked of the session is not over. */
  #isBusy = false;
  #wasEnded = false;
  /** The next Ctrl-C leaves. */
  #warned = false;

  constructor(host: Host, choices: SessionChoices) {
    this.#host = host;
    this.#choices = choices;
    this.#terminal.onTypedAhead = (line) => this.#steer(line);
  }

  async run(): Promise<number> {
    const interrupt = () => void this.#interrupt();
    const leave = () => this.#leave();
    Deno.addSignalListener("SIGINT", interrupt);
    for (const signal of LEAVE_SIGNALS) Deno.addSignalListener(signal, leave);
    try {
      this.#seat = await this.#open(this.#choices.spec);
      this.#banner();
      while (!this.#leaving.signal.aborted) {
        const line = await this.#terminal.readLine(this.#style.bold("> "), this.#leaving.signal);
        if (line === undefined) break;
        this.#warned = false;
        if (line.trim() !== "") await this.#handle(line.trim());
      }
      return this.#wasEnded ? EXIT.interrupted : EXIT.done;
    } finally {
      for (const signal of LEAVE_SIGNALS) Deno.removeSignalListener(signal, leave);
      Deno.removeSignalListener("SIGINT", interrupt);
    }
  }

  async close(): Promise<void> {
    await this.#host.close();
    const { spec } = this.#choices;
    if (this.#seat === undefined || spec.storage === "none") return;
    const { id } = this.#seat.session;
    err(`\nResume with: ${resumeCommand(this.#choices, { command: ["hermes"], id })}\n`);
  }

  async #open(spec: SessionSpec): Promise<Seat> {
    const { session, settings, plugins } = await this.#host.open(
      spec,
      openerOf(this.#host, {
        ...this.#choices,
        confirm: async (question) =>
          /^y(es)?$/i.test(await this.#terminal.readLine(`${question} [y/N] `) ?? ""),
        tell: (line) => this.#terminal.note(line),
      }),
    );
    if (session === this.#seat?.session) return this.#seat;
    const verbose = this.#choices.verbose || settings.config.display.show_reasoning;
    const view = new ChatView({ style: this.#style, verbose });
    const questions = new TerminalQuestions({
      terminal: () => this.#terminal,
      submit: (operation) => session.submit(operation),
    });
    let isInTurn = false;
    const show = (event: AgentEvent) => {
      const text = view.fold(event);
      if (event.type === "turn_start") isInTurn = true;
      if (event.type === "turn_end") isInTurn = false;
      // A plugin's turn or line may come while the person types.
      if (text !== "") this.#terminal.leaveLine();
      out(text);
      questions.follow(event);
      if (!isInTurn) this.#terminal.askAgain();
    };
    return { session, listener: new SessionListener(session, show), plugins };
  }

  #banner(replaced?: string): void {
    const { session, plugins } = this.#seat!;
    session.start(replaced);
    const resumed = session.resumed ? " (resumed)" : "";
    const walls = session.walls === undefined ? "" : ` · ${wallWords(session.walls.wallName)}`;
    const about = `${session.model}${walls} · session ${session.id}${resumed}`;
    out(this.#style.dim(`hermes · ${about} · /help\n`));
    for (const { id, tools } of plugins?.statuses ?? []) {
      if (tools.length > 0) out(this.#style.dim(`${id}: ${tools.join(", ")}\n`));
    }
  }

  async #handle(line: string): Promise<void> {
    this.#isBusy = true;
    try {
      if (line.startsWith("/")) await this.#slash(line);
      else await this.#send(line);
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      const { failure } = this.#seat!.session;
      // That the session is broken was shown as an event; what to do was not.
      const hint = failure instanceof HermesError ? failure.hint : error.hint;
      if (error !== failure) this.#complain(error.message, hint);
      else if (hint !== undefined) err(`  ${hint}\n`);
    } finally {
      // The prompt says that the next Ctrl-C is about something else.
      await this.#presses.settled();
      this.#isBusy = false;
    }
  }

  #complain(message: string, hint?: string): void {
    err(`${this.#style.red(message)}\n${hint === undefined ? "" : `  ${hint}\n`}`);
  }

  async #send(text: string): Promise<void> {
    const { listener } = this.#seat!;
    await listener.turn({ op: "input", content: [{ type: "text", text }] });
    // What was typed too late for the turn has one of its own.
    await listener.idle();
  }

  async #slash(line: string): Promise<void> {
    const [name = ""] = line.slice(1).split(/\s+/);
    const argument = line.slice(1 + name.length).trim();
    const command = SLASH_COMMANDS.find((one) => one.name === name);
    if (command) return await command.run(argument, this.#context());
    const brought = this.#seat!.plugins?.commands ?? [];
    if (brought.some((one) => one.name === name)) return await this.#runCommand(name, argument);
    const close = nearest(name, [...SLASH_COMMANDS, ...brought].map((one) => one.name));
    err(
      `No command /${name}.${close === undefined ? "" : ` Did you mean /${close}?`} Try /help.\n`,
    );
  }

  /** A command of a plugin. */
  async #runCommand(name: string, argument: string): Promise<void> {
    const end = await this.#seat!.listener.submit({ op: "command", name, argument }, [
      "command_end",
    ]);
    if (end.isError) this.#complain(end.text);
    else out(end.text, { styled: false });
  }

  #context(): SlashContext {
    const session = () => this.#seat!.session;
    return {
      get session() {
        return session();
      },
      plugins: this.#seat!.plugins,
      write: out,
      reopen: (resume) => this.#reopen(resume),
      setModel: (name) => this.#setModel(name),
      setApproval: (policy) => this.#setApproval(policy),
      setWalls: (choice) => this.#setWalls(choice),
      quit: () => this.#leaving.abort(),
    };
  }

  async #setModel(model: string): Promise<void> {
    // What goes wrong is an event, and shown as one.
    const answer = await this.#seat!.listener.submit({ op: "set_model", model }, [
      "model_change",
      "error",
    ]);
    if (answer.type !== "model_change") return;
    const { spec } = this.#choices;
    const chosen = { ...spec, model: { ...spec.model, name: model } };
    this.#choices = { ...this.#choices, spec: chosen };
  }

  /** Sessions that are opened later have the policy, too. */
  #setApproval(policy: ApprovalPolicy): void {
    const { approvals } = this.#seat!.session;
    if (approvals !== undefined) approvals.policy = policy;
    const { spec } = this.#choices;
    const chosen = { ...spec, approval: { ...spec.approval, policy } };
    this.#choices = { ...this.#choices, spec: chosen };
  }

  /** Sessions opened later have the walls, too. @throws {UsageError} for an unknown network. */
  async #setWalls(choice: { sandbox?: SandboxMode; network?: string }): Promise<void> {
    const { walls } = this.#seat!.session;
    if (choice.network !== undefined) {
      const { readNetwork } = await import("../../sandbox/command/network_words.ts");
      readNetwork(choice.network, { mode: choice.sandbox ?? walls?.sandbox ?? "workspace-write" });
    }
    await walls?.changeWalls(choice);
    this.#choices = { ...this.#choices, spec: { ...this.#choices.spec, ...choice } };
  }

  /** Opens the other session first: when that fails, this one goes on. */
  async #reopen(resume?: SessionSpec["resume"]): Promise<void> {
    const { resume: _before, model, ...kept } = this.#choices.spec;
    // Another session has a model of its own; an address is not kept with it.
    const isOwn = resume !== undefined && model?.baseUrl === undefined;
    const wanted = isOwn ? undefined : model;
    const spec: SessionSpec = {
      ...kept,
      ...(wanted === undefined ? {} : { model: wanted }),
      ...(resume === undefined ? {} : { resume }),
    };
    const before = this.#seat;
    const seat = await this.#open(spec);
    if (seat !== before) await before?.session.end("done");
    this.#choices = { ...this.#choices, spec };
    this.#seat = seat;
    // Going on with another session is not a reset of this one.
    this.#banner(resume === undefined ? before?.session.id : undefined);
  }

  #steer(line: string): void {
    if (line.trim() !== "") this.#seat?.session.submit({ op: "steer", text: line.trim() });
  }

  /** The terminal is gone, or hermes is told to end: nothing that was started may stay behind. */
  #leave(): void {
    this.#wasEnded = true;
    this.#seat?.session.submit({ op: "interrupt", reason: "the terminal is gone" });
    this.#leaving.abort();
  }

  async #interrupt(): Promise<void> {
    if (!this.#presses.count()) return;
    const session = this.#seat?.session;
    // A turn that a plugin began runs although nothing was asked for here.
    const isBusy = this.#isBusy || session?.isRunning;
    const answer = isBusy ? session?.submit({ op: "interrupt" }) : undefined;
    if (answer?.status === "accepted") {
      this.#warned = true;
      return;
    }
    if (this.#warned) {
      this.#leaving.abort();
      return;
    }
    this.#warned = true;
    await this.#presses.settled();
    err("\n(Ctrl-C again to quit)\n> ");
  }
}
