/** `hermes version`: hermes, the runtime it stands on and the platform. */
import { VERSION } from "../../util/version.ts";
import type { CommandInput } from "../command.ts";
import { out } from "../io.ts";

export function main(input: CommandInput): Promise<number> {
  const facts = {
    hermes: VERSION,
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    platform: `${Deno.build.os}-${Deno.build.arch}`,
  };
  out(
    input.flags.json === true
      ? `${JSON.stringify(facts)}\n`
      : `hermes ${facts.hermes} (deno ${facts.deno}, ${facts.platform})\n`,
  );
  return Promise.resolve(0);
}
