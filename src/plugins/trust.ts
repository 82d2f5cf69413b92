/** Which plugins of which projects a person has looked at, with the hash of what was seen. */
import type { Home } from "../config/home.ts";
import { changeRecords, readRecords, type RecordsFile } from "./records.ts";

/** Plugin → content hash, by the project's folder. */
const FILE: RecordsFile<Record<string, string>> = {
  name: "trusted-plugins.json",
  key: "projects",
  hint: "Delete it and trust your projects again: hermes plugins trust",
  isRecord: (hashes) => Object.values(hashes).every((hash) => typeof hash === "string"),
};

export interface ProjectPlugin {
  project: string;
  id: string;
}

/** The hash of what was trusted; undefined when nobody did. @throws {PluginProblem} when the file is damaged. */
export function trustedHash(home: Home, { project, id }: ProjectPlugin): string | undefined {
  const hashes = readRecords(home, FILE)[project] ?? {};
  return Object.hasOwn(hashes, id) ? hashes[id] : undefined;
}

/** Trusts (or with an undefined hash forgets) one plugin of a project. */
export async function changeTrust(
  home: Home,
  { project, id, hash }: ProjectPlugin & { hash: string | undefined },
): Promise<void> {
  await changeRecords(home, FILE, (projects) => {
    const { [id]: _, ...others } = projects[project] ?? {};
    projects[project] = hash === undefined ? others : { ...others, [id]: hash };
  });
}
