/**
 * The Deno executable of a target, always the exact file that `_targets.ts` names: this very
 * program where it fits, else the npm package, fetched with the ordinary npm client.
 */
import { DENO_VERSION, hostTarget, type Target } from "./_targets.ts";
import { sha256Hex } from "../src/util/hash.ts";

/** @throws when it cannot be fetched or is not the file it should be. */
export async function denoExecutable(target: Target): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = target.name === hostTarget().name && Deno.version.deno === DENO_VERSION
    ? await Deno.readFile(Deno.execPath())
    : await fromNpm(target);
  const sum = await sha256Hex(bytes);
  if (sum === target.denoSha256) return bytes;
  throw new Error(
    `the Deno ${DENO_VERSION} for ${target.name} has SHA-256 ${sum}, not ${target.denoSha256}`,
  );
}

async function fromNpm(target: Target): Promise<Uint8Array<ArrayBuffer>> {
  const directory = await Deno.makeTempDir({ prefix: "hermes-deno-" });
  try {
    const name = `${target.denoPackage}@${DENO_VERSION}`;
    await run("npm", ["pack", name, "--silent", "--pack-destination", directory]);
    const file = target.denoPackage.replace("@", "").replace("/", "-");
    await run("tar", ["-xzf", `${directory}/${file}-${DENO_VERSION}.tgz`, "-C", directory]);
    const program = target.name.startsWith("windows") ? "deno.exe" : "deno";
    return await Deno.readFile(`${directory}/package/${program}`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function run(command: string, args: string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command(command, { args, stdout: "null" }).output();
  if (code === 0) return;
  throw new Error(`${command} ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
}
