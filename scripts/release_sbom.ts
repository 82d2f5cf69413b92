/** The bill of materials of a build in CycloneDX: the runtime and every npm package it may carry. */
import { VERSION } from "../src/util/version.ts";
import { DENO_VERSION } from "./_targets.ts";
import { ROOT } from "./_tree.ts";

interface LockFile {
  npm?: Record<string, { integrity: string }>;
}

interface Component {
  type: "framework" | "library";
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: "SHA-512"; content: string }[];
}

/** Used to build, never shipped. */
const BUILD_ONLY = /^@?esbuild[/@]/;

export async function softwareBill(): Promise<Record<string, unknown>> {
  const lock = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.lock`)) as LockFile;
  const packages = Object.entries(lock.npm ?? {})
    .filter(([id]) => !BUILD_ONLY.test(id))
    .map(([id, { integrity }]) => npmComponent(id, integrity));
  const runtime: Component = {
    type: "framework",
    name: "deno",
    version: DENO_VERSION,
    purl: `pkg:npm/deno@${DENO_VERSION}`,
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", name: "hermes", version: VERSION, "bom-ref": "hermes" },
    },
    components: [runtime, ...packages],
  };
}

/** `@scope/name@1.2.3_peer@4.5.6` → a component; what follows the version names peers. */
function npmComponent(id: string, integrity: string): Component {
  const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(id) ?? [];
  if (name === undefined || version === undefined) throw new Error(`deno.lock: what is ${id}?`);
  const [, digest = ""] = /^sha512-(.+)$/.exec(integrity) ?? [];
  return {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(digest).toHex() }],
  };
}
