/** Plugins as text for people: what one is, what it wants, what it brings. */
import type { Candidate } from "../../../plugins/discover.ts";
import type { Registrations } from "../../../plugins/messages.ts";
import { describePermissions, permissionsBeyond, permissionsOf } from "../../../plugins/powers.ts";
import { describeGrants, type PluginEntry } from "../../../plugins/plugin_settings.ts";
import type { Snapshot } from "../../../plugins/snapshot.ts";
import type { PluginManifest, PluginPermissions } from "../../../protocol/plugin.ts";
import { visibleText } from "../../render/tool_line.ts";

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
  return describeDemands(permissionsOf(before), permissionsOf(after));
}

/** The same for what was written down of it. */
export function describeDemands(before: PluginPermissions, after: PluginPermissions): string {
  const [more, less] = [permissionsBeyond(after, before), permissionsBeyond(before, after)]
    .map((list) => list.map((line) => `    ${line}`)) as [string[], string[]];
  if (more.length === 0 && less.length === 0) {
    return lines(["  It asks for the same permissions as before."]);
  }
  return lines([
    ...(more.length > 0 ? ["  ! MORE THAN BEFORE, it may also:", ...more] : []),
    ...(less.length > 0 ? ["  Less than before, it may no longer:", ...less] : []),
  ]);
}

/** What a plugin registers; what its hooks may see and do is among its permissions. */
export function describeRegistrations(
  registrations: Registrations | undefined,
  { manifest }: Pick<Snapshot, "manifest">,
): string {
  if (registrations === undefined) {
    const said = manifest.provides.join(", ") || "nothing";
    return lines([`  It brings: unknown until it runs with its permissions; it says: ${said}`]);
  }
  const { tools, hooks, commands, skills, sections } = registrations;
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  const parts: [string, string[]][] = [
    ["tools", tools.map((tool) => `${tool.name}${tool.override ? " (replaces another)" : ""}`)],
    ["hooks", [...new Set(hooks.map((hook) => hook.name))]],
    ["commands", commands.map((command) => `/${command.name}`)],
    ["skills", skills.map((skill) => skill.name)],
    ["prompt sections", sections.map((section) => section.id)],
    ["services", names(registrations.services)],
    ["timers", names(registrations.timers)],
    ["routes", registrations.routes.map(({ path }) => `/plugins/${manifest.name}${path}`)],
    ["platforms", names(registrations.platforms)],
    ["model providers", names(registrations.providers)],
  ];
  const seen = hooks.length > 0 && manifest.permissions.hooks.length === 0
    ? ["  Its hooks get names, ids and times; no arguments, results or messages of others."]
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
