/**
 * `hermes run`: one job, headless. Standard output is the answer (or JSONL events), standard
 * error is progress, the exit code says how it ended.
 */
import { BudgetExceeded } from "../../agent/budget.ts";
import type { TurnResult } from "../../agent/types.ts";
import type { Approver } from "../../protocol/approval.ts";
import { EXIT, UsageError } from "../../protocol/error.ts";
import type { AgentEvent, EndReason } from "../../protocol/event.ts";
import type { UserPart } from "../../protocol/message.ts";
import type { Session } from "../../session/session.ts";
import type { CommandInput } from "../command.ts";
import { ownEnvironment } from "../own_environment.ts";
import type { GivenImage } from "./run_images.ts";
import type { OutputSchema } from "./run_schema.ts";
import { err, out, useColor } from "../io.ts";
import { interruptedCode, onInterrupt } from "../interrupt.ts";
import { writeNamedFile } from "../named_file.ts";
import { progressLines } from "../render/progress.ts";
import { createStyle } from "../render/style.ts";
import { openFromFlags } from "./open_session.ts";
import {
  defined,
  parseDuration,
  readSessionChoices,
  type SessionChoices,
  text,
} from "./run_options.ts";
import { readPrompt } from "./run_prompt.ts";

type Sink = (event: AgentEvent) => void;

/** A longer timer would ring at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs the job and returns the exit code of the headless contract. */
export async function main(input: CommandInput): Promise<number> {
  const choices = readSessionChoices(input);
  const schemaFile = text(input.flags["output-schema"]);
  const schema = schemaFile === undefined
    ? undefined
    : (await import("./run_schema.ts")).loadOutputSchema(schemaFile);
  const abort = new AbortController();
  const stopListening = onInterrupt((reason) => abort.abort(reason));
  const timeout = text(input.flags.timeout);
  let timer = timeout === undefined ? undefined : limitTime(abort, timeout);
  const deadlineAt = timeout === undefined
    ? undefined
    : Date.now() + parseDuration(timeout, "timeout");
  try {
    const prompt = await readPrompt(input, abort.signal);
    if (prompt === undefined && choices.resume === undefined) {
      throw new UsageError("no prompt", {
        hint: 'Say what to do: hermes run "…", hermes run -f FILE, or pipe text into hermes run -',
      });
    }
    const images = await readImages(input);
    const answerFile = text(input.flags["output-last-message"]);
    // Told before anything is spent; and no earlier answer is taken for this one.
    if (answerFile !== undefined) writeAnswer(answerFile, "");
    const { session, settings } = await openFromFlags(
      choices,
      defined({
        source: "run" as const,
        record: text(input.flags.record),
        replay: text(input.flags.replay),
        deadlineAt,
        approver: terminalApprover(),
        offersOffline: isWatched(),
      }),
    );
    const budget = settings.config.agent.run_budget_seconds;
    if (budget > 0) timer ??= limitTime(abort, `${budget}s`);
    try {
      return await runJob(input, {
        session,
        choices,
        prompt,
        images,
        schema,
        signal: abort.signal,
      });
    } finally {
      await session.close();
    }
  } finally {
    // The first touch of a timer function loads Node's timers: 6 ms for nothing.
    if (timer !== undefined) clearTimeout(timer);
    stopListening();
  }
}

interface Job {
  session: Session;
  choices: SessionChoices;
  prompt: string | undefined;
  images: readonly GivenImage[];
  schema: OutputSchema | undefined;
  signal: AbortSignal;
}

async function runJob(input: CommandInput, job: Job): Promise<number> {
  const { session, schema, signal } = job;
  const show = createSink(input);
  show(session.start());
  const content = await userContent(job);
  const turn = { session, content, show, signal };
  const result = schema === undefined
    ? await runPlain(turn)
    : await (await import("./run_schema.ts")).runWithSchema(turn, schema);
  return await finish(input, { ...job, result, show });
}

/** True when somebody sits at the terminal; a job of a CI system that pretends to have one does not. */
function isWatched(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal() && !ownEnvironment().CI;
}

/** Asks whoever sits at the terminal; whether anybody is asked at all is the policy's to say. */
function terminalApprover(): Approver | undefined {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return undefined;
  let opening: Promise<Approver> | undefined;
  return {
    async ask(request, signal) {
      opening ??= openTerminalApprover();
      return await (await opening).ask(request, signal);
    },
  };
}

async function openTerminalApprover(): Promise<Approver> {
  const [{ createTerminalApprover }, { createStdTerminal, TerminalInput }] = await Promise.all([
    import("../prompt/ask.ts"),
    import("../prompt/terminal_input.ts"),
  ]);
  return createTerminalApprover(new TerminalInput(createStdTerminal()));
}

export interface RunTurn {
  session: Session;
  content: UserPart[] | undefined;
  show: Sink;
  signal: AbortSignal;
}

async function runPlain(run: RunTurn): Promise<TurnResult> {
  const events = run.session.send(run.content, { signal: run.signal });
  let step = await events.next();
  while (!step.done) {
    run.show(step.value);
    step = await events.next();
  }
  return step.value;
}

/** JSON lines on standard output, or plain progress lines on standard error. */
function createSink(input: CommandInput): Sink {
  if (input.flags.json === true) return (event) => out(`${JSON.stringify(event)}\n`);
  if (input.flags.quiet === true) return () => {};
  const options = { style: createStyle(useColor("stderr")), verbose: input.flags.verbose === true };
  return (event) => {
    // The error that ends the run is told at its end.
    if (event.type === "error" && event.fatal) return;
    for (const line of progressLines(event, options)) err(`${line}\n`);
  };
}

/** Before a session is opened: a mistyped name must not cost a request. */
async function readImages({ flags }: CommandInput): Promise<GivenImage[]> {
  if (!Array.isArray(flags.image)) return [];
  const { readImage } = await import("./run_images.ts");
  return flags.image.map((path) => readImage(path));
}

async function userContent(
  { session, prompt, images }: Job,
): Promise<UserPart[] | undefined> {
  if (prompt === undefined) {
    if (session.unfinished) return undefined;
    throw new UsageError(`session ${session.id} is finished: give a prompt to go on`);
  }
  const parts: UserPart[] = [{ type: "text", text: prompt }];
  if (images.length === 0) return parts;
  const { keepImages } = await import("./run_images.ts");
  return [...await keepImages(images, session), ...parts];
}

async function finish(
  input: CommandInput,
  run: Job & { result: TurnResult; show: Sink },
): Promise<number> {
  const { session, result, show } = run;
  try {
    const last = await session.finish(
      result.reason,
      result.detail,
      result.reason === "interrupted" ? interruptedCode(run.signal) : undefined,
    );
    show(last);
    const summaryFile = ownEnvironment().GITHUB_STEP_SUMMARY;
    if (summaryFile) {
      const { appendJobSummary } = await import("../render/job_summary.ts");
      appendJobSummary(summaryFile, { event: last, text: result.text, model: session.model });
    }
    return last.type === "session_end" ? last.exitCode : EXIT.failed;
  } finally {
    // Whatever else fails: the answer is there, and somebody waits for it.
    if (input.flags.json !== true) printAnswer(result);
    const file = text(input.flags["output-last-message"]);
    if (file !== undefined) writeAnswer(file, result.text);
    if (result.reason !== "done") {
      const kept = run.choices.persist && input.flags.replay === undefined;
      const { describeEnd } = await import("./run_end.ts");
      err(describeEnd(result, { choices: run.choices, id: kept ? session.id : undefined }));
    }
  }
}

function printAnswer({ reason, text }: TurnResult): void {
  if (text !== "" && printable(reason)) {
    out(text.endsWith("\n") ? text : `${text}\n`, { styled: false });
  }
}

/** A wrong-shaped or half answer is not an answer: scripts that read standard output get nothing. */
function printable(reason: EndReason): boolean {
  return reason === "done" || reason === "budget";
}

function writeAnswer(path: string, answer: string): void {
  writeNamedFile(path, { name: "--output-last-message", text: answer });
}

function limitTime(abort: AbortController, value: string): ReturnType<typeof setTimeout> {
  const ms = parseDuration(value, "timeout");
  return setTimeout(
    () => abort.abort(new BudgetExceeded(`time budget spent: ${value} are over`)),
    Math.min(ms, LONGEST_TIMER_MS),
  );
}
