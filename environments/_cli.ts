/** Runs a client program to its end and tells what it said. Owns no policy. */

export interface CliOptions {
  env: Record<string, string>;
  timeoutMs?: number;
  /** Lines of either stream as they come. */
  onLine?: (line: string) => void;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

const TIMEOUT_MS = 60_000;

/** Never throws for what the program does; a program that hangs ends with code 124. */
export async function runCli(
  argv: readonly string[],
  options: CliOptions,
): Promise<CliResult> {
  const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const child = new Deno.Command(argv[0]!, {
    args: argv.slice(1),
    clearEnv: true,
    env: options.env,
    cwd: "/",
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal,
  }).spawn();
  const [stdout, stderr, status] = await Promise.all([
    collect(child.stdout, options.onLine),
    collect(child.stderr, options.onLine),
    child.status,
  ]);
  return signal.aborted
    ? { code: 124, stdout, stderr: `${argv[0]} did not answer in time` }
    : { code: status.code, stdout, stderr };
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  onLine?: (line: string) => void,
): Promise<string> {
  let text = "";
  let seen = 0;
  const tellLines = (end: number) => {
    if (!onLine) return;
    for (const line of text.slice(seen, end).split(/[\r\n]+/)) if (line.trim()) onLine(line.trim());
    seen = end;
  };
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    tellLines(Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1 || seen);
  }
  tellLines(text.length);
  return text;
}

/** The line worth showing of what a program said when it failed. */
export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)!.trim();
}
