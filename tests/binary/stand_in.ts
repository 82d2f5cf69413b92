/**
 * A portable executable with everything but its weight: the same script in front, and behind it a
 * program of the shell with a megabyte of ballast in place of Deno and the bundle. What the script
 * does with its archive takes seconds with the real one, and is the same.
 */
import { writeProgram } from "./support.ts";
import { hostTarget } from "../../scripts/_targets.ts";
import { compressRuntime, joinPortable } from "../../scripts/portable.ts";
import { sha256Hex } from "../../src/util/hash.ts";
import { VERSION } from "../../src/util/version.ts";

/** Runs the file `main.js` among its arguments as part of itself; never reads its own ballast. */
const RUNTIME = `#!/bin/sh
for argument; do
  case $argument in */app/main.js) . "$argument" ;; esac
done
exit 0
`;
const BALLAST_BYTES = 1_000_000;

/** Prints the version, like the program it stands for. */
const MAIN = `echo "hermes ${VERSION}"\n`;

/** Writes the executable to `path`. */
export async function writeStandIn(path: string): Promise<void> {
  const encoder = new TextEncoder();
  const head = encoder.encode(RUNTIME);
  const data = new Uint8Array(head.length + BALLAST_BYTES);
  data.set(head);
  // What does not compress, so that damage can be done anywhere.
  for (let at = head.length; at < data.length; at += 50_000) {
    crypto.getRandomValues(data.subarray(at, at + 50_000));
  }
  const runtime = {
    gzip: await compressRuntime(data),
    rawBytes: Math.ceil(data.length / 512) * 512 + 512,
    sha256: await sha256Hex(data),
  };
  const app = [
    { name: "main.js", data: encoder.encode(MAIN) },
    { name: "chunk.js", data: encoder.encode("exit 1\n") },
  ];
  await writeProgram(path, await joinPortable(hostTarget(), { app, runtime }));
}
