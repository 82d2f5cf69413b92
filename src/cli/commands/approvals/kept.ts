/** `hermes approvals list` and `forget`: what is allowed for good, in the words of the question. */
import { GrantFile, grantId, GRANTS_FILE } from "../../../approval/grant_store.ts";
import { grantWords, ruleWords } from "../../../approval/grant_words.ts";
import { RULES } from "../../../approval/rules/rules.ts";
import { EXIT, UsageError } from "../../../protocol/error.ts";
import type { Grant } from "../../../protocol/grant.ts";
import { didYouMean } from "../../../util/nearest.ts";
import type { CommandInput } from "../../command.ts";
import { out } from "../../io.ts";
import { visibleText } from "../../render/tool_line.ts";
import { homeOf, settingsOf } from "../../settings.ts";

/** A lasting permission; an entry of `command_allowlist` has neither project nor date. */
interface Kept {
  /** The id that `forget` takes. */
  id: string;
  kind: Grant["kind"] | "glob";
  value: string;
  /** Null for a permission that holds everywhere. */
  project: string | null;
  createdAt: string | null;
  /** The words for what is allowed. */
  text: string;
}

export async function list(input: CommandInput): Promise<number> {
  const kept = [
    ...(await settingsOf(input)).config.command_allowlist.map(listed),
    ...await Promise.all((await grantsOf(input).read()).map(granted)),
  ];
  if (input.flags["json"] === true) out(`${JSON.stringify(kept, null, 2)}\n`);
  else out(kept.map((one) => `${line(one)}\n`).join("") || "nothing is allowed for good\n");
  return EXIT.done;
}

/** `3f2a91c0de  exactly …, since 2026-02-03`; an entry of the settings is its own id. */
function line({ id, text, createdAt, value }: Kept): string {
  const since = createdAt === null ? "" : `, since ${createdAt.slice(0, 10)}`;
  const name = id === value ? "settings  " : id;
  return visibleText(`${name}  ${text}${since}`);
}

function grantsOf(input: CommandInput): GrantFile {
  return new GrantFile(homeOf(input).path(GRANTS_FILE));
}

/** An entry of `command_allowlist` as a permission. */
function listed(entry: string): Kept {
  const about = { id: entry, value: entry, project: null, createdAt: null };
  if (isRule(entry)) {
    const text = `every command and action of the rule ${
      ruleWords(entry, { describeRule })
    }, everywhere`;
    return { ...about, kind: "rule", text };
  }
  const isGlob = /[*?[]/.test(entry);
  const text = isGlob
    ? `one plain command that fits \`${entry}\`, everywhere`
    : `exactly \`${entry}\`, everywhere`;
  return { ...about, kind: isGlob ? "glob" : "command", text };
}

async function granted(grant: Grant): Promise<Kept> {
  const { kind, value, project, createdAt } = grant;
  const text = grantWords(grant, { describeRule });
  return { id: await grantId(grant), kind, value, project, createdAt, text };
}

function ruleOf(name: string) {
  return RULES.find(({ key, aliases }) => key === name || aliases?.includes(name) === true);
}

function describeRule(name: string): string | undefined {
  return ruleOf(name)?.description;
}

/** Entries of hooks and of unreadable text are rules as well. */
function isRule(entry: string): boolean {
  return ruleOf(entry) !== undefined || /^(?:hook:|unjudged execution: )/.test(entry) ||
    /^[a-z]+(?:_[a-z]+)+$/.test(entry);
}

/** Takes back the grant of an id, or everything that is allowed by this very text. */
export async function forget(input: CommandInput): Promise<number> {
  const [entry = ""] = input.args;
  const ids = new Map<Grant, string>();
  const grants = grantsOf(input);
  const stored = await grants.read();
  for (const grant of stored) ids.set(grant, await grantId(grant));
  const wanted = new Set(
    stored.filter((grant) => ids.get(grant) === entry || grant.value === entry)
      .map((grant) => JSON.stringify(grant)),
  );
  const allowed = (await settingsOf(input)).config.command_allowlist;
  if (wanted.size === 0 && !allowed.includes(entry)) {
    const known = [...allowed, ...ids.values(), ...stored.map(({ value }) => value)];
    throw new UsageError(`"${entry}" is not allowed for good.${didYouMean(entry, known)}`, {
      hint: "See what is: hermes approvals list",
    });
  }
  if (allowed.includes(entry)) await unlist(input, entry);
  const gone = wanted.size === 0
    ? []
    : await grants.remove((grant) => wanted.has(JSON.stringify(grant)));
  for (const grant of gone) out(visibleText(`forgot ${grantWords(grant, { describeRule })}\n`));
  if (allowed.includes(entry)) out(`forgot ${listed(entry).text}\n`);
  return EXIT.done;
}

async function unlist(input: CommandInput, entry: string): Promise<void> {
  const { editConfig } = await import("../../../config/edit.ts");
  await editConfig(homeOf(input), {
    key: "command_allowlist",
    change(current) {
      const kept = (Array.isArray(current) ? current.map(String) : [])
        .filter((candidate) => candidate !== entry);
      return kept.length === 0 ? undefined : kept;
    },
  });
}
