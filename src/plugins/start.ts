/**
 * Starting one plugin: its process or its place in hermes, the conversation with it, and what it
 * registers. Everything that takes is one import, made when the first plugin is needed.
 */
import { notWritable } from "../config/not_writable.ts";
import { Conversation, type GuestLink } from "./conversation.ts";
import { resolveAuthority, secretsFor } from "./permissions.ts";
import type { PluginSpec } from "./plugin.ts";
import { PluginProblem, reasonOf } from "./problem.ts";
import { startProcess } from "./plugin_process.ts";
import { declaresPush } from "./push/declared.ts";
import { type CheckedRegistrations, checkRegistrations } from "./registrations.ts";
import { GUEST_JS } from "./runtime_data.ts";
import { fileUrl } from "./source.ts";

export interface StartedPlugin {
  conversation: Conversation;
  checked: CheckedRegistrations;
}

export type StartSpec = PluginSpec & Required<Pick<PluginSpec, "onEvent">>;

const REGISTER_TIMEOUT_MS = 5_000;
const MAX_CERTIFICATES_BYTES = 1024 * 1024;

/** Resolves when the plugin has registered; `onSpawn` is called when its process is on its way. */
export async function startPlugin(spec: StartSpec, onSpawn: () => void): Promise<StartedPlugin> {
  const { snapshot: { manifest, entryUrl: main }, config, place, log } = spec;
  const { name, version, nodeShim = false } = manifest;
  const { dataDir } = place;
  makeFolder(dataDir);
  const caCerts = certificates(spec.entry.caFile);
  let registered = false;
  const conversation = new Conversation(await startLink(spec, onSpawn), {
    log,
    onEvent: spec.onEvent,
    // Before it has registered, the failure of that tells everything.
    onEnd: (reason) => registered && spec.onEnd(reason),
  });
  try {
    const secrets = secretsFor(manifest, place);
    const facts = { main, name, version, config, dataDir, secrets, caCerts, nodeShim };
    const answer = await conversation.register(
      { t: "register", ...facts },
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
    staysOn: declaresPush(manifest.permissions),
    mode,
    without,
    env: place.env,
  });
  onSpawn();
  return await starting;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates in the operator's file. @throws {PluginProblem} when there are none. */
function certificates(file: string | undefined): string[] {
  if (file === undefined) return [];
  let text: string;
  try {
    if (Deno.statSync(file).size > MAX_CERTIFICATES_BYTES) throw new Error("it is too large");
    text = Deno.readTextFileSync(file);
  } catch (error) {
    throw new PluginProblem(`its ca_file ${file} cannot be read: ${reasonOf(error)}`);
  }
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new PluginProblem(`its ca_file ${file} holds no certificate`);
  return found;
}

/** Synchronous: sooner done than a thread starts. */
function makeFolder(path: string): void {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritable(path, error);
  }
}
