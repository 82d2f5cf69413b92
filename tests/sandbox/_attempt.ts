/**
 * What an escape attempt is. Each file in `escapes/` holds one: a way out as code that returns
 * what it gained. Refusal is an exception or nothing gained; effects are looked for outside.
 */
import type { World } from "./_world.ts";

export interface Attempt {
  /** Body of an async function. Absent where JavaScript has no such door. */
  script?: (world: World) => string;
  /** Body of a function. Absent where Python has no such door. */
  python?: (world: World) => string;
  /**
   * JavaScript is held by Deno's permissions alone: the runtime itself must follow links to find
   * its own program, and a kernel filter cannot tell whose link it is; nor does it guard a process
   * from itself, or the machine's name.
   */
  onlyPermissions?: true;
  /** Evidence of an effect that the world does not watch for anyway. */
  effect?: (world: World) => Promise<string | undefined>;
}

export function defineAttempt(attempt: Attempt): Attempt {
  return attempt;
}

/** A value as a literal of both languages. */
export function literal(value: string | number): string {
  return JSON.stringify(value);
}

/**
 * Programs of one language that try, one after the other, and print a line for each name. After an
 * attempt that leaves its process or the language changed they say `SPOILT` and end: what it
 * changed must not be what refuses the next one.
 */
export type Programmer = (bodies: ReadonlyMap<string, string>) => string;

/** Tells whether what the language brings along is as it was: Node's modules change the rest. */
const SCRIPT_WHOLE = `const { getOwnPropertyDescriptors, is } = Object;
const facts = () => {
  const found = [];
  for (
    const one of [
      Array, ArrayBuffer, Boolean, Date, Deno, Error, Function, JSON, Map, Math, Number, Object,
      Promise, Proxy, Reflect, RegExp, Set, String, Symbol, TextDecoder, TextEncoder, Uint8Array,
      WeakMap, WeakSet,
    ].flatMap((one) => [one, one.prototype ?? {}])
  ) {
    const all = getOwnPropertyDescriptors(one);
    for (const key of Reflect.ownKeys(all)) found.push(key, all[key].value, all[key].set);
  }
  return found;
};
const before = facts();
const isWhole = () => {
  const now = facts();
  return now.length === before.length && before.every((fact, index) => is(fact, now[index]));
};`;

export function scriptProgram(bodies: ReadonlyMap<string, string>): string {
  const attempts = [...bodies].map(([name, body]) =>
    `[${literal(name)}, async () => {\n${body}\n}],`
  );
  return `const print = console.log;
${bodies.size === 1 ? "const isWhole = () => true;" : SCRIPT_WHOLE}
for (const [name, attempt] of [${attempts.join("\n")}]) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), 1500));
  try {
    const gained = await Promise.race([attempt(), late]);
    print(name, gained === undefined || gained === null || gained === false ? "REFUSED: nothing gained" : "GAINED: " + String(gained).slice(0, 300));
  } catch (error) {
    print(name, "REFUSED: " + error);
  }
  if (!isWhole()) {
    print(name, "SPOILT");
    break;
  }
}
Deno.exit(0);`;
}

/** The same; a script in Python has files, too, which its limits and its directory are shown by. */
const PYTHON_WHOLE = `import builtins, os, sys
def facts(open=open):
    with open("whole", "w") as file:
        file.write("yes")
    with open("whole") as file:
        said = file.read()
    modules = (builtins, os, sys)
    return said, os.getcwd(), [(k, id(v)) for m in modules for k, v in vars(m).items() if callable(v)]
before = facts()
def is_whole(facts=facts, before=before):
    try:
        return facts() == before
    except BaseException:
        return False
`;

export function pythonProgram(bodies: ReadonlyMap<string, string>): string {
  const attempts = [...bodies].map(([name, body]) => {
    const indented = body.split("\n").map((line) => `    ${line}`).join("\n");
    return `def attempt():\n${indented}
try:
    gained = attempt()
    print(${
      literal(name)
    }, "REFUSED: nothing gained" if gained is None or gained is False else "GAINED: " + str(gained)[:300])
except BaseException as error:
    print(${literal(name)}, "REFUSED:", type(error).__name__, error)
${
      bodies.size === 1
        ? ""
        : `if not is_whole():\n    print(${literal(name)}, "SPOILT")\n    raise SystemExit\n`
    }`;
  });
  return `${bodies.size === 1 ? "" : PYTHON_WHOLE}${attempts.join("")}`;
}

/** Every attempt, by file name. */
export async function loadAttempts(): Promise<Map<string, Attempt>> {
  const directory = new URL("./escapes/", import.meta.url);
  const names: string[] = [];
  for await (const entry of Deno.readDir(directory)) {
    if (entry.name.endsWith(".ts")) names.push(entry.name);
  }
  const attempts = new Map<string, Attempt>();
  for (const name of names.sort()) {
    const module = await import(new URL(name, directory).href) as { attempt: Attempt };
    attempts.set(name.slice(0, -3), module.attempt);
  }
  return attempts;
}
