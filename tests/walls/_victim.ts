/** A process or terminal of the person, outside the walls, that notes what is done to it. */
import { exists } from "../../src/util/exists.ts";
import { pollUntil } from "./_poll.ts";
import { secretText } from "./_home.ts";

export interface Victim {
  /** What attempts know of it. */
  variables: Record<string, string>;
  /** True when `sign` can be seen. */
  shows(sign: string): Promise<boolean>;
  close(): Promise<void>;
}

interface VictimOptions {
  kind: "victim" | "terminal";
  /** The helper, and what is in front of it. */
  argv: readonly string[];
  /** Where it writes its notes. */
  directory: string;
  home: string;
  /** A file outside the walls that the process has open. */
  heldFile: string;
  token: string;
}

export async function startVictim(options: VictimOptions): Promise<Victim> {
  const { kind, argv, directory, home, token, heldFile } = options;
  const memory = secretText("victim-memory", token);
  const [command = "", ...args] = argv;
  const words = kind === "terminal"
    ? [kind, directory]
    : [kind, directory, `${home}/.ssh/id_ed25519`, `${home}/.ssh`, memory, heldFile];
  const child = new Deno.Command(command, {
    args: [...args, ...words],
    env: { VICTIM_SECRET: secretText("victim-env", token), PATH: "/usr/bin:/bin" },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const ended = child.status;
  await pollUntil(() => isWritten(`${directory}/ready`), `the ${kind} of ${directory}`);
  const [pid = "", first = "", second = ""] = (await Deno.readTextFile(`${directory}/ready`)).trim()
    .split(" ");
  const names = kind === "terminal" ? { TTY: first } : { MEMORY: first, VARIABLE: second };
  return {
    variables: { VICTIM: pid, ...names },
    shows: (sign) => shows(sign, { pid, directory }),
    async close() {
      try {
        child.kill("SIGKILL");
      } catch {
        // An attempt without walls has ended it.
      }
      await ended;
    },
  };
}

async function isWritten(path: string): Promise<boolean> {
  return await exists(path) && (await Deno.readTextFile(path)).endsWith("\n");
}

async function shows(sign: string, at: { pid: string; directory: string }): Promise<boolean> {
  const { pid, directory } = at;
  if (sign === "limits") {
    return /^Max open files\s+17\s/m.test(await Deno.readTextFile(`/proc/${pid}/limits`));
  }
  if (["gone", "stopped", "nice"].includes(sign)) {
    const fields = await statOf(pid);
    if (sign === "gone") return fields === undefined || fields[0] === "Z";
    return sign === "stopped" ? fields?.[0] === "T" : fields?.[16] !== "0";
  }
  for await (const { name } of Deno.readDir(directory)) {
    if (name.startsWith(sign)) return true;
  }
  return false;
}

/** The fields after the name, or undefined when there is no such process. */
async function statOf(pid: string): Promise<string[] | undefined> {
  try {
    const text = await Deno.readTextFile(`/proc/${pid}/stat`);
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
