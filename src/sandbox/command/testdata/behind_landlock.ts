/**
 * Raises Landlock around itself with grants from standard input, runs each of the given shell
 * commands, and prints what came of them. Run by the tests of `../grants.ts`.
 */
import { landlockVersion, type PathGrant, raiseLandlock } from "../../walls/landlock.ts";
import { openLibc } from "../../../process/launcher/libc.ts";

const PR_SET_NO_NEW_PRIVS = 38;

interface Task {
  grants: PathGrant[];
  commands: string[];
  cwd: string;
  env: Record<string, string>;
}

const task: Task = JSON.parse(await new Response(Deno.stdin.readable).text());
const libc = openLibc();
if (landlockVersion(libc) === 0) {
  await print(null);
  Deno.exit(0);
}
libc.call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
raiseLandlock(libc, task.grants);
const results = task.commands.map((command) => {
  const { code, stdout, stderr } = new Deno.Command("/bin/sh", {
    args: ["-c", command],
    cwd: task.cwd,
    env: task.env,
    clearEnv: true,
  }).outputSync();
  const text = new TextDecoder();
  return { code, output: text.decode(stdout) + text.decode(stderr) };
});
await print(results);

async function print(value: unknown): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(value)));
}
