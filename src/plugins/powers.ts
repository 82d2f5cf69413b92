/** What plugins ask for, as text for people, and how two versions differ in it. */
import type { HookRight, PluginManifest, PluginPermissions } from "../protocol/plugin.ts";

type Listed = Exclude<keyof PluginPermissions, "hooks">;

const LABELS: Readonly<Record<Listed, string>> = {
  net: "connect to",
  read: "read",
  write: "write",
  env: "see the variables",
  run: "start",
};

const RIGHTS: Readonly<Record<HookRight, string>> = {
  "see_calls": "see the arguments of other tools' calls (see_calls)",
  "see_results": "see the results of other tools' calls (see_results)",
  "see_messages": "see what you and the model say (see_messages)",
  "change_calls": "rewrite other tools' calls before they run (change_calls)",
  guard: "block other tools' calls, or have you asked about them (guard)",
  "add_context": "add text to the model's instructions and to your messages (add_context)",
  "change_results": "replace what the model reads of other tools' results (change_results)",
  "change_answers": "replace what you read of the model's answers (change_answers)",
};

/** Everything a manifest asks for; a variable it needs is one it sees. */
export function permissionsOf({ permissions, requiresEnv }: PluginManifest): PluginPermissions {
  return { ...permissions, env: [...new Set([...permissions.env, ...requiresEnv])] };
}

/** What a plugin asks for, one line each; one line when it asks for nothing. */
export function describePermissions(manifest: PluginManifest): string[] {
  const lines = permissionLines(permissionsOf(manifest));
  return lines.length > 0 ? lines : ["nothing: no network, files, variables or programs"];
}

/** The same for permissions alone; nothing for none. */
export function permissionLines(permissions: PluginPermissions): string[] {
  const listed = Object.entries(LABELS).flatMap(([kind, label]) => {
    const list = permissions[kind as Listed];
    return list.length === 0 ? [] : [`${label}: ${list.join(", ")}`];
  });
  return [...listed, ...permissions.hooks.map((right) => RIGHTS[right])];
}

/** What one set asks for and the other does not, one line each. */
export function permissionsBeyond(one: PluginPermissions, other: PluginPermissions): string[] {
  const left = <K extends keyof PluginPermissions>(kind: K) =>
    (one[kind] as readonly string[]).filter((item) =>
      !(other[kind] as readonly string[] | undefined)?.includes(item)
    ) as unknown as PluginPermissions[K];
  return permissionLines({
    net: left("net"),
    read: left("read"),
    write: left("write"),
    env: left("env"),
    run: left("run"),
    hooks: left("hooks"),
  });
}
