/** Rejections and errors that no code handles: reported in one line, never as a stack trace. */

/** Ends the process with the line and exit code of the first failure that no code handles. */
export function endOnUnhandled(argv: readonly string[]): void {
  const fail = async (error: unknown) => {
    const { reportFailure } = await import("./error_line.ts");
    Deno.exit(reportFailure(error, argv));
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
