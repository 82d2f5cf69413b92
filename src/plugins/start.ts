/**
 * Starting one plugin: its process or its place in hermes, the conversation with it, and what it
 * registers. Everything that takes is one import, made when the first plugin is needed.
 */
import { notWritable } from "../config/not_writable.ts";
import { Conversation, type GuestLink } from "./conversation.ts";
import { resolveAuthority } from "./permissions.ts";
import type { PluginSpec } from "./plugin.ts";
import { startProcess } from "./process.ts";
import { type CheckedRegistrations, checkRegistrations } from "./registrations.ts";
import { GUEST_JS } from "./runtime_data.ts";
import { fileUrl } from "./source.ts";

export interface StartedPlugin {
  conversation: Conversation;
  checked: CheckedRegistrations;
}

const REGISTER_TIMEOUT_MS = 5_000;

/** Resolves when the plugin has registered; `onSpawn` is called when its process is on its way. */
export async function startPlugin(spec: PluginSpec, onSpawn: () => void): Promise<StartedPlugin> {
  const { snapshot, config, place, log } = spec;
  const { name, version } = snapshot.manifest;
  const { dataDir } = place;
  makeFolder(dataDir);
  let registered = false;
  const conversation = new Conversation(await startLink(spec, onSpawn), {
    log,
    // Before it has registered, the failure of that tells everything.
    onEnd: (reason) => registered && spec.onEnd(reason),
  });
  try {
    const answer = await conversation.register(
      { t: "register", main: snapshot.entryUrl, name, version, config, dataDir },
      spec.registerTimeoutMs ?? REGISTER_TIMEOUT_MS,
    );
    registered = true;
    return { conversation, checked: checkRegistrations(answer) };
  } catch (error) {
    await conversation.close();
    throw error;
  }
}

async function startLink(spec: PluginSpec, onSpawn: () => void): Promise<GuestLink> {
  const { snapshot, entry, place, mode, without } = spec;
  if (entry.trustFull) return (await import("./in_process.ts")).startInProcess();
  const { modulesDir, manifest } = snapshot;
  const authority = await resolveAuthority(manifest, { ...place, modulesDir });
  const guest = new TextEncoder().encode(GUEST_JS).toBase64();
  const starting = startProcess({
    guest: {
      module: `data:application/javascript;base64,${guest}`,
      modulesUrl: `${fileUrl(modulesDir.slice(1))}/`,
      ...authority,
    },
    memoryMb: entry.memoryMb,
    mode,
    without,
    env: place.env,
  });
  onSpawn();
  return await starting;
}

/** Synchronous: sooner done than a thread starts. */
function makeFolder(path: string): void {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritable(path, error);
  }
}
