/** A registry on loopback that has one image of one layer, for engines that pull. */
import { sha256Hex } from "../../src/util/hash.ts";

export interface ImageRegistry {
  /** What to pull. */
  image: string;
  close(): Promise<void>;
}

const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";

interface Blob {
  type: string;
  data: Uint8Array<ArrayBuffer>;
  digest: string;
}

/** `layer` is a tar archive of the root. */
export async function serveImage(layer: Uint8Array<ArrayBuffer>): Promise<ImageRegistry> {
  const root = await blob("application/vnd.docker.image.rootfs.diff.tar", layer);
  const config = await json("application/vnd.docker.container.image.v1+json", {
    architecture: Deno.build.arch === "aarch64" ? "arm64" : "amd64",
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: [root.digest] },
  });
  const manifest = await json(MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: describe(config),
    layers: [describe(root)],
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const [, kind, name] = /\/(manifests|blobs)\/(.+)$/.exec(new URL(request.url).pathname) ?? [];
    const found = kind === "manifests"
      ? manifest
      : [root, config].find(({ digest }) => digest === name);
    if (kind === undefined) return new Response("{}");
    if (found === undefined) return new Response("", { status: 404 });
    const headers = { "content-type": found.type, "docker-content-digest": found.digest };
    const length = { "content-length": String(found.data.length) };
    if (request.method === "HEAD") {
      return new Response(null, { headers: { ...headers, ...length } });
    }
    return new Response(found.data, { headers });
  });
  return {
    image: `127.0.0.1:${server.addr.port}/hermes/tiny:1`,
    close: () => server.shutdown(),
  };
}

function json(type: string, value: unknown): Promise<Blob> {
  return blob(type, new TextEncoder().encode(JSON.stringify(value)));
}

async function blob(type: string, data: Uint8Array<ArrayBuffer>): Promise<Blob> {
  return { type, data, digest: `sha256:${await sha256Hex(data)}` };
}

function describe({ type, data, digest }: Blob) {
  return { mediaType: type, size: data.length, digest };
}
