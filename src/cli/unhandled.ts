/** Rejections and errors that no code handles: reported in one line, never as a stack trace. */
import { EXIT } from "../protocol/error.ts";

/** Ends the process with the line and exit code of the first failure that no code handles. */
export function endOnUnhandled(argv: readonly string[]): void {
  let isFailing = false;
  const fail = async (error: unknown) => {
    // A second failure while the first is told must not keep the process.
    if (isFailing) Deno.exit(EXIT.failed);
    isFailing = true;
    try {
      const { reportFailure } = await import("./error_line.ts");
      Deno.exit(reportFailure(error, argv));
    } catch (unable) {
      // The program's own files may be gone: this line needs none of them.
      lastLine(`${error}; ${unable}`);
      Deno.exit(EXIT.failed);
    }
  };
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    void fail(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    void fail(event.error);
  });
}

function lastLine(text: string): void {
  try {
    const line = `hermes: internal error: ${text.slice(0, 500).replaceAll("\n", " ")}\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(line));
  } catch {
    // Standard error is closed: there is nowhere to report it.
  }
}
