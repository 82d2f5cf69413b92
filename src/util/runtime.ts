/**
 * What differs between builds: from source, bundled in the portable executable, or compiled.
 * Everything else asks here how to start another hermes.
 */

export interface SelfCommand {
  command: string;
  args: string[];
}

/** True in a `deno compile` executable, which is its own program and has no `deno run`. */
export function isStandalone(): boolean {
  return Deno.build.standalone;
}

/** The program and arguments that run hermes again with `args`. */
export function selfCommand(args: readonly string[]): SelfCommand {
  const command = Deno.execPath();
  if (isStandalone()) return { command, args: [...args] };
  return { command, args: ["run", "-A", "-q", "--no-prompt", mainModule(), ...args] };
}

/** A test runner or script is not hermes: from there `main.ts` is found beside `src`. */
function mainModule(): string {
  if (/\/main\.[jt]s$/.test(Deno.mainModule)) return Deno.mainModule;
  return new URL("../../main.ts", import.meta.url).href;
}
