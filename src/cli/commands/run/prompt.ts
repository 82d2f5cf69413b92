/** The prompt of `hermes run`: an argument, a file, standard input, or text joined from two of them. */
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import type { CommandInput } from "../../command.ts";
import { interruptedCode } from "../../interrupt.ts";
import { decodeText, err, readStdinText } from "../../io.ts";
import { readNamedFile } from "../../named_file.ts";
import { durationText } from "../../../util/duration.ts";
import { text } from "./options.ts";

/** Longest prompt; beyond it no model takes the request anyway. */
const MAX_PROMPT_CHARS = 4_000_000;
const WAIT_NOTICE_MS = 2000;

export interface PromptLimits {
  /** Ends the wait for standard input. */
  signal: AbortSignal;
  /** How long that may take. */
  timeoutMs?: number;
}

/**
 * The prompt, or undefined when none was given.
 * @throws {UsageError} when it cannot be read.
 */
export async function readPrompt(
  input: CommandInput,
  limits: PromptLimits,
): Promise<string | undefined> {
  const words = input.args.filter((word) => word !== "-");
  const wantsStdin = input.args.includes("-");
  const file = text(input.flags["prompt-file"]);
  if (file !== undefined && words.length > 0) {
    throw new UsageError("give the prompt as an argument or with --prompt-file, not both");
  }
  const own = file === undefined
    ? words.join(" ")
    : decodeText(readNamedFile(file, "--prompt-file"), file);
  const piped = wantsStdin || stdinIsPiped() ? await readPiped(limits) : "";
  if (wantsStdin && piped.trim() === "" && own.trim() === "") {
    throw new UsageError("standard input is empty, so there is no prompt");
  }
  const prompt = [own, piped].filter((part) => part.trim() !== "").join("\n\n").trim();
  if (prompt.length > MAX_PROMPT_CHARS) {
    throw new UsageError(
      `the prompt has ${prompt.length} characters, more than the ${MAX_PROMPT_CHARS} allowed`,
      { hint: "Save the text to a file and name the file in the prompt." },
    );
  }
  return prompt === "" ? undefined : prompt;
}

/** Only a pipe or a file: reading an inherited terminal, socket or device could wait for ever. */
function stdinIsPiped(): boolean {
  try {
    const info = Deno.statSync("/dev/stdin");
    return info.isFifo === true || info.isFile;
  } catch {
    // A closed standard input has nothing to say.
    return false;
  }
}

/** Whoever writes to us may never stop: a time limit and Ctrl-C count here too. */
async function readPiped({ signal, timeoutMs }: PromptLimits): Promise<string> {
  const stopped = Promise.withResolvers<never>();
  const stop = (why: string, exitCode: number) => {
    stopped.reject(new HermesError(`${why} while standard input was read`, { exitCode }));
  };
  signal.addEventListener("abort", () => stop("interrupted", interruptedCode(signal)), {
    once: true,
  });
  const limit = timeoutMs === undefined ? undefined : setTimeout(
    () => stop(`time budget spent: ${durationText(timeoutMs)} are over`, EXIT.budget),
    timeoutMs,
  );
  const timer = setTimeout(
    () => err("hermes: waiting for standard input to end (add < /dev/null to skip it)\n"),
    WAIT_NOTICE_MS,
  );
  try {
    const reading = readStdinText({
      // No character takes more bytes; how many characters it has is known at its end.
      limitBytes: MAX_PROMPT_CHARS * 4,
      limit: `the ${MAX_PROMPT_CHARS} characters of a prompt`,
    });
    return await Promise.race([reading, stopped.promise]);
  } finally {
    clearTimeout(timer);
    if (limit !== undefined) clearTimeout(limit);
  }
}
