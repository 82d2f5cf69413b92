/** Registers cases about how the portable executable unpacks itself, each on a machine of its own. */
import { writeStandIn } from "./stand_in.ts";
import { artefact, bareMachine, isPortable, type Machine, skip } from "./support.ts";

export interface Unpacking {
  binary: string;
  /** Less than what is in the archive. */
  halfBytes: number;
  machine: Machine;
  /** A cache directory of its own. */
  cache: string;
  /** The temporary directory. */
  fallback: string;
  env: Record<string, string>;
}

type Case = (place: Unpacking) => Promise<void>;

/** Registers a case about unpacking into a cache of its own, for the build that unpacks. */
export function unpackTest(name: string, body: Case): void {
  registerCase(name, { body, isReal: false });
}

/** The same with the real archive, where its program or its size matters. */
export function realTest(name: string, body: Case): void {
  registerCase(name, { body, isReal: true });
}

function registerCase(name: string, { body, isReal }: { body: Case; isReal: boolean }): void {
  Deno.test(`the portable executable ${name}`, async () => {
    await using machine = await bareMachine();
    // A release is tested as it is.
    const isStandIn = !isReal && !Deno.env.get("HERMES_BIN");
    const binary = isStandIn ? `${machine.home}/../hermes` : await artefact();
    if (isStandIn) await writeStandIn(binary);
    if (!await isPortable(binary)) return skip(`${binary} does not unpack itself`);
    const { HERMES_BIN_CACHE: _shared, ...env } = machine.env;
    const [cache, fallback] = [`${machine.home}/.cache/hermes/bin`, `${machine.home}/fallback`];
    await Deno.mkdir(fallback);
    const halfBytes = Math.floor((await Deno.stat(binary)).size / 2);
    await body({ binary, halfBytes, machine, cache, fallback, env: { ...env, TMPDIR: fallback } });
  });
}

/** A case that needs what only Linux has. */
export function onLinux(body: Case): Case {
  return async (place) => {
    if (Deno.build.os !== "linux") return skip("there is no /proc, unshare or setsid here");
    await body(place);
  };
}

export function linuxTest(name: string, body: Case): void {
  unpackTest(name, onLinux(body));
}
