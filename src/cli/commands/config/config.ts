/** `hermes config list|get|path`: shows settings and where they come from; secrets stay hidden. */
import type { Settings } from "../../../config/load.ts";
import { HIDDEN, isVariableName, showValue } from "../../../config/secrets.ts";
import { leaves, type Tree } from "../../../config/tree.ts";
import { EXIT, HermesError } from "../../../protocol/error.ts";
import type { CommandInput } from "../../command.ts";
import { err, out } from "../../io.ts";
import { homeOf, settingsOf } from "../../settings.ts";

export async function main(input: CommandInput): Promise<number> {
  const [key = ""] = input.args;
  switch (input.path[1]) {
    case "get":
      return await showOne(await settingsOf(input), key, input.flags.json === true);
    case "path":
      out(`${homeOf(input).path(input.flags.env === true ? ".env" : "config.yaml")}\n`);
      return EXIT.done;
    default:
      return showAll(await settingsOf(input), input.flags);
  }
}

/** Everything that is not as shipped, with where it comes from. */
function showAll(settings: Settings, flags: CommandInput["flags"]): number {
  const config = settings.config as unknown as Tree;
  const shown = [...leaves(config)]
    .map(([path, value]) => ({
      key: path,
      value: showValue(path, value),
      origin: settings.origin(path),
    }))
    .filter((row) => flags.all === true || row.origin !== "default");
  if (flags.json === true) {
    out(`${JSON.stringify(shown, null, 2)}\n`);
    return EXIT.done;
  }
  for (const { key, value, origin } of shown) {
    out(`${key} = ${JSON.stringify(value)}${origin === "default" ? "" : `  (${origin})`}\n`);
  }
  if (shown.length === 0) err(`Everything is at its default. See "hermes config list --all".\n`);
  return EXIT.done;
}

async function showOne(settings: Settings, key: string, asJson: boolean): Promise<number> {
  if (isVariableName(key)) {
    const found = settings.env(key) !== undefined;
    if (!found) throw new HermesError(`${key} is not set`, { hint: howToSet(key) });
    out(`${HIDDEN}\n`);
    return EXIT.done;
  }
  const value = showValue(key, settings.get(key));
  if (value === undefined) throw await noValue(key);
  out(
    asJson || typeof value === "object"
      ? `${JSON.stringify(value, null, asJson ? 0 : 2)}\n`
      : `${value}\n`,
  );
  return EXIT.done;
}

async function noValue(key: string): Promise<HermesError> {
  const { describeKeys, unknownSetting } = await import("../../../config/describe.ts");
  const isKnown = describeKeys().some(({ path }) => path === key);
  return isKnown ? new HermesError(`${key} is not set and has no default`) : unknownSetting(key);
}

function howToSet(name: string): string {
  return `Set it: hermes config set ${name} -   (reads the value from standard input)`;
}
