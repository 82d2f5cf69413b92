/** What plugins ask for, as text for people, and how two versions differ in it. */
import type {
  BackgroundKind,
  HookRight,
  PluginManifest,
  PluginPermissions,
  SessionRight,
} from "../protocol/plugin.ts";

type Named = "hooks" | "sessions" | "background";
type Listed = Exclude<keyof PluginPermissions, Named>;

const LABELS: Readonly<Record<Listed, string>> = {
  net: "connect to",
  read: "read",
  write: "write",
  env: "see the variables",
  secrets: "get the secrets",
  run: "start",
  platforms: "bring messages from chats of, and send to them",
  providers: "answer as a model, and see whole conversations then, as",
  routes: "answer HTTP requests at",
};

const RIGHTS: Readonly<Record<HookRight | SessionRight | BackgroundKind, string>> = {
  wake: "begin turns in sessions that use it, with text of its own (wake)",
  notify: "show lines in sessions that use it (notify)",
  services: "run for as long as hermes does (services)",
  timers: "run at times of its own (timers)",
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
  const seen = new Set([...permissions.env, ...requiresEnv]);
  return { ...permissions, env: [...seen.difference(new Set(permissions.secrets))] };
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
  const rights = [...permissions.hooks, ...permissions.sessions, ...permissions.background];
  return [...listed, ...rights.map((right) => RIGHTS[right])];
}

/** What one set asks for and the other does not, one line each. */
export function permissionsBeyond(one: PluginPermissions, other: PluginPermissions): string[] {
  const left = <K extends keyof PluginPermissions>(kind: K) =>
    // What an older hermes has recorded lacks the newer kinds.
    (one[kind] as readonly string[] | undefined ?? []).filter((item) =>
      !(other[kind] as readonly string[] | undefined)?.includes(item)
    ) as unknown as PluginPermissions[K];
  return permissionLines({
    net: left("net"),
    read: left("read"),
    write: left("write"),
    env: left("env"),
    run: left("run"),
    hooks: left("hooks"),
    secrets: left("secrets"),
    sessions: left("sessions"),
    platforms: left("platforms"),
    providers: left("providers"),
    routes: left("routes"),
    background: left("background"),
  });
}
