/** Which plugins of which projects a person has looked at, with the hash of what was seen. */
import type { Home } from "../config/home.ts";
import { readOptional } from "../config/load.ts";
import { HermesError } from "../protocol/error.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";

/** Project folder → plugin → content hash. */
export type Trust = Record<string, Record<string, string>>;

const FILE = "trusted-plugins.json";

/** @throws {HermesError} when the file is damaged. */
export function readTrust(home: Home): Trust {
  const path = home.path(FILE);
  const text = readOptional(path);
  if (text === undefined) return {};
  try {
    const { projects } = JSON.parse(text) as { projects: Trust };
    return { ...projects };
  } catch (error) {
    throw new HermesError(`${path} is damaged`, {
      hint: "Delete it and trust your projects again: hermes plugins trust",
      cause: error,
    });
  }
}

/** Trusts (or with an undefined hash forgets) one plugin of a project. */
export async function changeTrust(
  home: Home,
  { project, id, hash }: { project: string; id: string; hash: string | undefined },
): Promise<void> {
  const trust = readTrust(home);
  const { [id]: _, ...others } = trust[project] ?? {};
  const projects = { ...trust, [project]: hash === undefined ? others : { ...others, [id]: hash } };
  await writeFileAtomic(home.path(FILE), `${JSON.stringify({ projects }, null, 2)}\n`);
}
