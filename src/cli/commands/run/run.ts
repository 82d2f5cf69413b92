/**
 * `hermes run`: one job, headless. Standard output is the answer (or JSONL events), standard
 * error is progress, the exit code says how it ended. A listener of one session of a host.
 */
import type { Host } from "../../../host/host.ts";
import { EXIT, UsageError } from "../../../protocol/error.ts";
import type { AgentEvent, EndReason } from "../../../protocol/event.ts";
import type { UserPart } from "../../../protocol/message.ts";
import type { SessionSpec } from "../../../protocol/session_spec.ts";
import type { Session } from "../../../session/session.ts";
import type { CommandInput } from "../../command.ts";
import { onInterrupt } from "../../interrupt.ts";
import { err, out, useColor } from "../../io.ts";
import { writeNamedFile } from "../../named_file.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { RunView } from "../../render/run_view.ts";
import { createStyle } from "../../render/style.ts";
import { openerOf, openHost } from "../open_session.ts";
import type { RunEnd } from "./end.ts";
import type { GivenImage } from "./images.ts";
import { RunJob } from "./job.ts";
import { parseDuration, readSessionChoices, type SessionChoices, text } from "./options.ts";
import { readPrompt } from "./prompt.ts";
import type { OutputSchema } from "./schema.ts";

/** Runs the job and returns the exit code of the headless contract. */
export async function main(input: CommandInput): Promise<number> {
  const startedAt = performance.now();
  const choices = readSessionChoices(input, "run");
  const schemaFile = text(input.flags["output-schema"]);
  const schema = schemaFile === undefined
    ? undefined
    : (await import("./schema.ts")).loadOutputSchema(schemaFile);
  const timeout = text(input.flags.timeout);
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "timeout");
  const abort = new AbortController();
  const stopListening = onInterrupt((reason) => abort.abort(reason));
  let host: Host | undefined;
  try {
    const { signal } = abort;
    const prompt = await readPrompt(input, {
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    if (prompt === undefined && choices.spec.resume === undefined) {
      throw new UsageError("no prompt", {
        hint: 'Say what to do: hermes run "…", hermes run -f FILE, or pipe text into hermes run -',
      });
    }
    const images = await readImages(input);
    const answerFile = text(input.flags["output-last-message"]);
    // Told before anything is spent; and no earlier answer is taken for this one.
    if (answerFile !== undefined) writeAnswer(answerFile, "");
    host = await openHost(choices);
    const spec = specOf(choices, { timeoutMs, startedAt });
    const { session } = await host.open(spec, openerOf(host, choices));
    return await runJob(input, { session, choices, prompt, images, schema, signal });
  } finally {
    await host?.close({ abandon: true });
    stopListening();
  }
}

/** The spec of this run: a person at the terminal answers approvals, reading the prompt took time. */
function specOf(
  { spec }: SessionChoices,
  { timeoutMs, startedAt }: { timeoutMs: number | undefined; startedAt: number },
): SessionSpec {
  const canAsk = Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
  const person = {
    ...(canAsk ? { approval: { ...spec.approval, questions: "approvals" as const } } : {}),
    // A job of a CI system that pretends to have a terminal is watched by no person.
    offersOffline: canAsk && !ownEnvironment().CI,
  };
  if (timeoutMs === undefined) return { ...spec, ...person };
  // Rounded: the person reads it.
  const step = timeoutMs < 1000 ? 10 : 100;
  const leftMs = Math.round((timeoutMs - (performance.now() - startedAt)) / step) * step;
  const timeMs = Math.max(step, leftMs);
  return { ...spec, ...person, budget: { ...spec.budget, timeMs } };
}

interface Job {
  session: Session;
  choices: SessionChoices;
  prompt: string | undefined;
  images: readonly GivenImage[];
  schema: OutputSchema | undefined;
  signal: AbortSignal;
}

async function runJob(input: CommandInput, about: Job): Promise<number> {
  const { session, schema, signal } = about;
  const view = createView(input, schema);
  const job = new RunJob({ session, signal, show: (event) => show(view, event) });
  session.start();
  const content = await userContent(about);
  const result = schema === undefined
    ? await job.turn(content)
    : await (await import("./schema.ts")).runWithSchema(job, content, schema);
  return await finish(input, { ...about, job, result, view });
}

/** Absent: JSON lines. */
function createView(input: CommandInput, schema: OutputSchema | undefined): RunView | undefined {
  const { json, quiet, verbose } = input.flags;
  if (json === true) return undefined;
  return new RunView({
    style: createStyle(useColor("stderr")),
    verbose: verbose === true,
    quiet: quiet === true,
    // An answer of the wrong shape is no answer: it is shown only once it fits.
    stream: schema === undefined && Deno.stdout.isTerminal(),
  });
}

function show(view: RunView | undefined, event: AgentEvent): void {
  if (view === undefined) return out(`${JSON.stringify(event)}\n`);
  const { answer, progress } = view.fold(event);
  if (answer !== "") out(answer, { styled: false });
  if (progress !== "") err(progress);
}

/** Before a session is opened: a mistyped name must not cost a request. */
async function readImages({ flags }: CommandInput): Promise<GivenImage[]> {
  if (!Array.isArray(flags.image)) return [];
  const { readImage } = await import("./images.ts");
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
  const { keepImages } = await import("./images.ts");
  return [...await keepImages(images, session), ...parts];
}

async function finish(
  input: CommandInput,
  run: Job & { job: RunJob; result: RunEnd; view: RunView | undefined },
): Promise<number> {
  const { session, job, result, view } = run;
  try {
    const last = await job.finish(result);
    const summaryFile = ownEnvironment().GITHUB_STEP_SUMMARY;
    if (summaryFile && last !== undefined) {
      const { appendJobSummary } = await import("../../render/job_summary.ts");
      appendJobSummary(summaryFile, { event: last, text: result.text, model: session.model });
    }
    return last?.exitCode ?? EXIT.failed;
  } finally {
    // Whatever else fails: the answer exists, and its reader waits for it.
    if (view !== undefined && !view.hasShown(result.text)) printAnswer(result);
    const file = text(input.flags["output-last-message"]);
    if (file !== undefined) writeAnswer(file, result.text);
    if (job.refused.length > 0 && view !== undefined && input.flags.quiet !== true) {
      const { describeRefused } = await import("./end.ts");
      err(describeRefused(job.refused));
    }
    if (result.reason !== "done") {
      const { spec } = run.choices;
      const isKept = spec.storage !== "none" && spec.cassette?.replay === undefined;
      const { describeEnd } = await import("./end.ts");
      err(describeEnd(result, { choices: run.choices, id: isKept ? session.id : undefined }));
    }
  }
}

function printAnswer({ reason, text }: RunEnd): void {
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
