/** What `--sandbox` and `--network` say, as settings. */
import type { CommandInput } from "../../command.ts";

export function wallFlags({ flags }: CommandInput): Record<string, unknown> {
  return {
    ...flags.sandbox === undefined ? {} : { "terminal.sandbox": flags.sandbox },
    ...flags.network === undefined ? {} : { "terminal.network": flags.network },
    "terminal.backend": "local",
  };
}
