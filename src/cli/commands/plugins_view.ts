/** Plugins as text for people: what one is, what it wants, what it brings. */
import type { Candidate } from "../../plugins/discover.ts";
import type { Registrations } from "../../plugins/messages.ts";
import { describePermissions } from "../../plugins/permissions.ts";
import { describeGrants, type PluginEntry } from "../../plugins/settings.ts";
import type { Snapshot } from "../../plugins/snapshot.ts";
import type { PluginManifest, PluginPermissions } from "../../protocol/plugin.ts";
import { visibleText } from "../render/tool_line.ts";

/** What a person must know before saying yes to a plugin. */
export function describePlugin(
  candidate: Pick<Candidate, "location">,
  { snapshot, entry }: { snapshot: Snapshot; entry: PluginEntry },
): string {
  const { manifest, hash } = snapshot;
  return lines([
    `${manifest.name} v${manifest.version}: ${manifest.description}`,
    ...(manifest.author === undefined ? [] : [`  by: ${manifest.author}`]),
    `  from: ${visibleText(candidate.location)}`,
    `  sha256: ${hash}`,
    "  It may:",
    ...describePowers(manifest, entry).map((line) => `    ${line}`),
  ]);
}

/** What a plugin asks for and what it was granted beside; without walls the first means nothing. */
export function describePowers(manifest: PluginManifest, entry: PluginEntry): string[] {
  const asked = entry.trustFull ? [] : describePermissions(manifest);
  return [...asked, ...describeGrants(entry)];
}

/** How what a plugin asks for differs from what it asked for before. */
export function describeChange(before: PluginManifest, after: PluginManifest): string {
  const [more, less] = [beyond(after, before), beyond(before, after)];
  if (more === undefined && less === undefined) {
    return lines(["  It asks for the same permissions as before."]);
  }
  return lines([
    ...(more ? ["  ! MORE THAN BEFORE, it may also:", ...more] : []),
    ...(less ? ["  Less than before, it may no longer:", ...less] : []),
  ]);
}

/** What one manifest asks for and the other does not; undefined when that is nothing. */
function beyond(one: PluginManifest, other: PluginManifest): string[] | undefined {
  const known = { ...other.permissions, env: variablesOf(other) };
  const wanted = { ...one.permissions, env: variablesOf(one) };
  const left = (kind: keyof PluginPermissions) =>
    wanted[kind].filter((item) => !known[kind].includes(item));
  const permissions: PluginPermissions = {
    net: left("net"),
    read: left("read"),
    write: left("write"),
    env: left("env"),
    run: left("run"),
  };
  if (Object.values(permissions).every((list) => list.length === 0)) return undefined;
  const lines = describePermissions({ ...one, permissions, requiresEnv: [] });
  return lines.map((line) => `    ${line}`);
}

function variablesOf({ permissions, requiresEnv }: PluginManifest): string[] {
  return [...permissions.env, ...requiresEnv];
}

/** What a plugin registers; a hook is named with what it gets to see. */
export function describeRegistrations(
  registrations: Registrations | undefined,
  { manifest }: Pick<Snapshot, "manifest">,
): string {
  if (registrations === undefined) {
    const said = manifest.provides.join(", ") || "nothing";
    return lines([`  It brings: unknown until it runs with its permissions; it says: ${said}`]);
  }
  const { tools, hooks, commands, skills } = registrations;
  const parts: [string, string[]][] = [
    ["tools", tools.map((tool) => `${tool.name}${tool.override ? " (replaces another)" : ""}`)],
    ["hooks", [...new Set(hooks.map((hook) => hook.name))]],
    ["commands", commands.map((command) => `/${command.name}`)],
    ["skills", skills.map((skill) => skill.name)],
  ];
  const seen = hooks.length > 0
    ? ["  A hook sees what passes it: prompts, calls and results."]
    : [];
  return lines([
    ...parts.filter(([, names]) => names.length > 0).map(([what, names]) =>
      `  ${what}: ${names.join(", ")}`
    ),
    ...seen,
  ]);
}

/** The settings a plugin understands, by the keys they are set with. */
export function describeConfig({ name, config }: PluginManifest): string {
  return lines(
    Object.entries(config).map(([key, { type, required, default: standard, description }]) => {
      const facts = [
        type,
        ...(required ? ["required"] : []),
        ...(standard === undefined ? [] : [`default ${visibleText(JSON.stringify(standard))}`]),
      ].join(", ");
      return `  plugins.entries.${name}.config.${key}: ${facts}${
        description === undefined ? "" : `. ${description}`
      }`;
    }),
  );
}

export function lines(list: readonly string[]): string {
  return list.map((line) => `${line}\n`).join("");
}
