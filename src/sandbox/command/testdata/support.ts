/** A home, a project and a policy in a temporary directory, and commands behind its grants. */
import { ok } from "node:assert/strict";
import type { SandboxPolicy } from "../../../protocol/sandbox.ts";
import type { ProtectedPlaces } from "../../../util/protected_paths.ts";
import { HostDisk } from "../disk.ts";
import { type CommandGrant, pathGrants } from "../grants.ts";
import { type PolicyFacts, type PolicySettings, sandboxPolicy } from "../policy.ts";

export interface TestHome {
  /** Real path of the temporary directory that holds all of it. */
  root: string;
  home: string;
  project: string;
  places: ProtectedPlaces;
}

/** Runs `body` with a home that has files of these names below it, and removes it. */
export async function withHome(
  files: readonly string[],
  body: (at: TestHome) => void | Promise<void>,
): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    const home = `${root}/home/me`;
    const project = `${home}/project`;
    await Deno.mkdir(`${project}/.git`, { recursive: true });
    for (const file of files) put(`${home}/${file}`);
    const places = { homes: [home], hermesHomes: [`${home}/.hermes`], trustedBase: [] };
    await body({ root, home, project, places });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Writes a file whose content is its path. */
export function put(path: string): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  if (!path.endsWith("/")) Deno.writeTextFileSync(path, path);
}

export const SETTINGS: PolicySettings = { writable: [], hidden: [], caches: "off", passEnv: [] };

export function policyAt(
  { home, project, places }: TestHome,
  more: Partial<PolicyFacts> = {},
): SandboxPolicy {
  return sandboxPolicy({
    mode: "workspace-write",
    cwd: project,
    home,
    places,
    env: {},
    settings: SETTINGS,
    disk: new HostDisk(),
    ...more,
  });
}

export interface Ran {
  code: number;
  output: string;
}

/** Runs shell commands behind Landlock; undefined, with the reason printed, where there is none. */
export async function behind(
  policy: SandboxPolicy,
  commands: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<Ran[] | undefined> {
  const { grants } = pathGrants(policy, new HostDisk());
  const task = { grants: ownGrants(grants), commands, cwd: options.cwd, env: options.env ?? {} };
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "-q", new URL("./behind_landlock.ts", import.meta.url).href],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(task)));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const text = new TextDecoder();
  ok(stdout.length > 0, text.decode(stderr));
  const results = JSON.parse(text.decode(stdout));
  if (results !== null) return results;
  await Deno.stdout.write(new TextEncoder().encode("not tried: this kernel has no Landlock\n"));
  return undefined;
}

/** The process that runs the commands is Deno, which reads itself. */
function ownGrants(grants: readonly CommandGrant[]): CommandGrant[] {
  return [...grants, { path: Deno.execPath(), access: "file-run" }];
}
