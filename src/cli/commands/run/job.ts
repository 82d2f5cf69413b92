/** One job of `hermes run`: a session, the listener that shows it, and the questions it asks. */
import type { ApprovalRequest } from "../../../protocol/approval.ts";
import type { AgentEvent } from "../../../protocol/event.ts";
import type { JsonSchema } from "../../../protocol/json_schema.ts";
import type { UserPart } from "../../../protocol/message.ts";
import type { Session } from "../../../session/session.ts";
import { interruptedCode } from "../../interrupt.ts";
import type { TerminalQuestions } from "../../prompt/questions.ts";
import { type EventOf, SessionListener } from "../../session_listener.ts";
import type { RunEnd } from "./end.ts";

export interface RunJobOptions {
  session: Session;
  show(event: AgentEvent): void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

export interface TurnOptions {
  outputSchema?: JsonSchema;
  synthetic?: boolean;
}

export class RunJob {
  readonly session: Session;
  readonly #listener: SessionListener;
  readonly #signal: AbortSignal;
  readonly #stop: () => void;
  /** Loaded with the first question. */
  #questions: Promise<TerminalQuestions> | undefined;
  #waitsFor: ApprovalRequest | undefined;
  /** What the policy refused without asking anybody. */
  readonly refused: ApprovalRequest[] = [];
  #end: EventOf<"session_end"> | undefined;

  constructor({ session, show, signal }: RunJobOptions) {
    this.session = session;
    this.#signal = signal;
    this.#listener = new SessionListener(session, (event) => {
      show(event);
      this.#follow(event);
    });
    this.#stop = () => void session.submit({ op: "interrupt", reason: String(signal.reason) });
    signal.addEventListener("abort", this.#stop);
  }

  /** Runs a turn; without content it goes on from the transcript. */
  async turn(content: UserPart[] | undefined, options: TurnOptions = {}): Promise<RunEnd> {
    const turn = this.#listener.turn(
      content === undefined ? { op: "continue", ...options } : { op: "input", content, ...options },
    );
    // Ctrl-C while the session was opened.
    if (this.#signal.aborted) this.#stop();
    const { reason, text, detail } = await turn;
    const why = detail === undefined ? {} : { detail };
    const open = this.#waitsFor;
    const waits = reason === "needs_approval" && open !== undefined ? { waitsFor: open } : {};
    return { reason, text, ...why, ...waits };
  }

  /** Ends the session; gives its last event once everything was shown. */
  async finish({ reason, detail }: RunEnd): Promise<EventOf<"session_end"> | undefined> {
    this.#signal.removeEventListener("abort", this.#stop);
    await this.session.end(reason, {
      ...(detail === undefined ? {} : { detail }),
      ...(reason === "interrupted" ? { exitCode: interruptedCode(this.#signal) } : {}),
    });
    await this.#listener.closed();
    return this.#end;
  }

  #follow(event: AgentEvent): void {
    if (event.type === "approval_start") this.#waitsFor = event.request;
    if (event.type === "approval_end" && event.answer === "deny" && event.by === "policy") {
      if (this.#waitsFor !== undefined) this.refused.push(this.#waitsFor);
    }
    if (event.type === "session_end") this.#end = event;
    if (event.type === "question_start" || event.type === "question_end") {
      this.#questions ??= this.#openQuestions();
      this.#questions.then((questions) => questions.follow(event));
    }
  }

  async #openQuestions(): Promise<TerminalQuestions> {
    const [{ TerminalQuestions }, { createStdTerminal, TerminalInput }] = await Promise.all([
      import("../../prompt/questions.ts"),
      import("../../prompt/terminal_input.ts"),
    ]);
    const terminal = new TerminalInput(createStdTerminal());
    return new TerminalQuestions({
      terminal: () => terminal,
      submit: (operation) => this.session.submit(operation),
    });
  }
}
