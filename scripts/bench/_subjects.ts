/** The programs a benchmark compares: a bare agent, an empty script, and hermes in every build. */
import { ROOT } from "../_tree.ts";
import { buildApp } from "../build_app.ts";
import { PORTABLE_FLAGS, STARTUP_V8_FLAGS } from "../../src/util/runtime.ts";
import { portableExecutable } from "../portable.ts";
import type { Subject } from "./_process.ts";

/** From arguments of hermes to a process that can be measured. */
export type Build = (args: readonly string[]) => Subject;

export interface Subjects {
  builds: Map<string, Build>;
  floor(args: readonly string[]): Subject;
  empty: Subject;
}

export interface SubjectOptions {
  /** A directory that is removed afterwards; also the home. */
  directory: string;
  /** Measured as the portable build, in place of one made from this tree. */
  binary: string | undefined;
}

export async function prepareSubjects(options: SubjectOptions): Promise<Subjects> {
  const { directory } = options;
  const env = { HOME: directory, PATH: Deno.env.get("PATH") ?? "", NO_COLOR: "1" };
  // Only the source needs the packages that are installed there.
  const packages = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
  const binary = options.binary ?? await portableExecutable();
  const app = await buildApp(`${directory}/app`);
  const empty = `${directory}/empty.js`;
  await Deno.writeTextFile(empty, "export {};\n");
  // A place without notes for agents, which would count as prompt.
  const cwd = `${directory}/project`;
  await Deno.mkdir(cwd);
  const command = await unpackedRuntime(binary, env);
  const deno = (name: string, args: readonly string[]): Subject => ({
    name,
    command,
    args: [...args],
    // One each: V8 rejects what a process with other flags has put into a shared code cache.
    env: { ...env, DENO_DIR: `${directory}/deno-${name}` },
    cwd,
  });
  const plain = ["run", "-A", "-q", "--no-prompt"];
  return {
    builds: new Map<string, Build>([
      ["source", (args) => ({
        ...deno("source", [...plain, `${ROOT}/main.ts`, ...args]),
        env: { ...env, DENO_DIR: packages },
      })],
      ["bundle", (args) => deno("bundle", [...PORTABLE_FLAGS, STARTUP_V8_FLAGS, app, ...args])],
      ["portable", (args) => ({ name: "portable", command: binary, args: [...args], env, cwd })],
    ]),
    floor: (args) => deno("floor", [...plain, `${ROOT}/scripts/bench/floor_agent.ts`, ...args]),
    empty: deno("empty", [...plain, empty]),
  };
}

/**
 * The Deno inside the executable, for every subject: other programs may be running the installed
 * one, and memory they share with a subject is not counted as its own.
 */
async function unpackedRuntime(binary: string, env: Record<string, string>): Promise<string> {
  const cache = `${env.HOME}/.cache/hermes/bin`;
  await new Deno.Command(binary, { args: ["--version"], env, clearEnv: true }).output();
  for await (const { name } of Deno.readDir(cache)) return `${cache}/${name}/deno`;
  throw new Error(`${binary} did not unpack itself`);
}
