/** Plugins as text for people: what one is, what it wants, what became of it. */
import type { Candidate } from "../../plugins/discover.ts";
import { describePermissions } from "../../plugins/permissions.ts";
import type { Snapshot } from "../../plugins/snapshot.ts";

/** What a person must know before saying yes to a plugin. */
export function describePlugin(candidate: Pick<Candidate, "location">, snapshot: Snapshot): string {
  const { manifest, hash } = snapshot;
  const lines = [
    `${manifest.name} v${manifest.version}: ${manifest.description}`,
    `  from: ${candidate.location}`,
    `  sha256: ${hash}`,
    "  It wants to:",
    ...describePermissions(manifest).map((line) => `    ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}
