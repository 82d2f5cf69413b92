/** Failures that nobody waits for: told in one line like every other, never as a stack trace. */

/** Ends the process with the line and exit code of the first failure that nobody caught. */
export function catchStrays(argv: readonly string[]): void {
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
