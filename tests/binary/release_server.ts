/** A release on 127.0.0.1, laid out as it is published: any file can be replaced by a test. */
import { sha256Hex } from "../../src/util/hash.ts";
import { platformName } from "../../src/util/runtime.ts";

export interface ReleaseServer extends AsyncDisposable {
  /** The address of all releases. */
  url: string;
  /** Paths below it that were asked for. */
  asked: string[];
  /** Content by name, for the newest release and the one called by its version. */
  files: Map<string, Uint8Array<ArrayBuffer>>;
}

/** Publishes `executable` as `version` for this platform. */
export async function serveRelease(
  version: string,
  executable: Uint8Array<ArrayBuffer>,
): Promise<ReleaseServer> {
  const file = `hermes-${platformName()}`;
  const sha256 = await sha256Hex(executable);
  const manifest = {
    version,
    files: { [platformName()]: { file, sha256, size: executable.length } },
  };
  const encode = (text: string) => new TextEncoder().encode(text);
  const files = new Map([
    [file, executable],
    ["SHA256SUMS", encode(`${sha256}  ${file}\n`)],
    ["manifest.json", encode(JSON.stringify(manifest))],
  ]);
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const [, directory, name] = /^\/releases\/(.+)\/([^/]+)$/.exec(pathname) ?? [];
    const known = directory === "latest/download" || directory === `download/v${version}`;
    const bytes = known ? files.get(name!) : undefined;
    return bytes === undefined ? new Response("none", { status: 404 }) : new Response(bytes);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/releases`,
    asked,
    files,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** An executable of a version that does not exist yet. */
export function nextVersion(version: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`#!/bin/sh\necho "hermes ${version}"\n`);
}
