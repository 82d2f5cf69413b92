/** `hermes model [NAME]`: which model answers and why, or choose another for good. */
import { editConfig } from "../../../config/edit.ts";
import type { Settings } from "../../../config/load.ts";
import { EXIT, UsageError } from "../../../protocol/error.ts";
import { CATALOG } from "../../../providers/catalog_data.ts";
import { didYouMean } from "../../../util/nearest.ts";
import type { CommandInput } from "../../command.ts";
import { err, out } from "../../io.ts";
import { settingsOf } from "../../settings.ts";
import { type ProviderKeys, providerKeys, type Selection, selectModel } from "./selection.ts";

export async function main(input: CommandInput): Promise<number> {
  const [name] = input.args;
  const { provider: named } = input.flags;
  const provider = typeof named === "string" ? named : undefined;
  const isChange = name !== undefined || provider !== undefined;
  let settings = await settingsOf(input, { "model.default": name, "model.provider": provider });
  if (provider !== undefined) requireProvider(provider, settings);
  let selection = await selectModel(settings);
  const isRefused = isChange && selection.isWrong === true;
  if (isChange && !isRefused) {
    await choose(await settingsOf({ flags: { ...input.flags, quiet: true } }), { name, provider });
    settings = await settingsOf({ flags: { ...input.flags, quiet: true } });
    selection = await selectModel(settings);
  }
  if (isRefused) err("hermes: nothing was saved\n");
  const providers = providerKeys(settings);
  if (input.flags.json === true) {
    out(`${JSON.stringify({ ...selection, providers }, null, 2)}\n`);
  } else {
    out(renderSelection(selection));
    if (name === undefined) out(renderProviders(providers));
  }
  // A choice that was saved is one, whether its server is there now or not.
  const isFine = selection.problem === undefined || (isChange && !isRefused);
  return isFine ? EXIT.done : EXIT.usage;
}

async function choose(
  settings: Settings,
  wanted: { name: string | undefined; provider: string | undefined },
): Promise<void> {
  const { home } = settings;
  const { name, provider } = wanted;
  if (provider !== undefined) {
    await editConfig(home, { key: "model.provider", change: () => provider });
  }
  if (name === undefined) return;
  await editConfig(home, { key: "model.default", change: () => name });
  if (provider === undefined) warnOfAddress(name, settings);
  const pinned = settings.config.model.provider;
  if (provider === undefined && name !== "offline" && pinned !== "auto" && pinned !== "") {
    err(`hermes: the provider stays ${pinned}; let it follow the model with --provider auto\n`);
  }
}

/** A name that begins with a provider's is sent whole to an address of the person's own. */
function warnOfAddress(name: string, { config }: Settings): void {
  const { base_url: address } = config.model;
  const prefix = /^([^:/]+)[:/]/.exec(name)?.[1]?.toLowerCase();
  const isProvider = CATALOG.some(({ id, aliases = [] }) =>
    [id, ...aliases].includes(prefix ?? "")
  );
  if (address === "" || !isProvider) return;
  err(
    `hermes: requests still go to ${address}, which gets the whole name; ` +
      "to leave that address: hermes config unset model.base_url\n",
  );
}

function requireProvider(name: string, settings: Settings): void {
  const known = [
    "auto",
    ...Object.keys(settings.config.providers),
    ...CATALOG.flatMap((entry) => [entry.id, ...entry.aliases ?? []]),
  ];
  if (known.includes(name.toLowerCase().replace(/^custom:/, ""))) return;
  throw new UsageError(`unknown provider "${name}".${didYouMean(name, known)}`, {
    hint: `See "hermes model", or add your own under "providers" in config.yaml.`,
  });
}

function renderSelection(selection: Selection): string {
  const rows: [string, string | undefined][] = [
    ["Model", selection.model || "none"],
    ["Provider", selection.provider && `${selection.provider} (${selection.baseUrl})`],
    ["Because", selection.because],
    ["Fallbacks", selection.fallbacks?.join(", ")],
    ["Problem", selection.problem],
  ];
  return rows.filter(([, text]) => text !== undefined && text !== "")
    .map(([label, text]) => `${label.padEnd(10)} ${text}\n`).join("");
}

function renderProviders(providers: readonly ProviderKeys[]): string {
  const lines = providers.map(({ provider, variables, needsKey, set }) => {
    const state = set !== undefined
      ? `${set} is set`
      : needsKey
      ? `set ${variables[0]}`
      : "needs no key";
    return `  ${provider.padEnd(14)} ${state}`;
  });
  return `\nProviders\n${lines.join("\n")}\n`;
}
