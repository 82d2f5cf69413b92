/** `hermes sessions`: looks at saved sessions, moves them between machines, throws them away. */
import { requireProfile } from "../../../config/home.ts";
import { EXIT, HermesError, UsageError } from "../../../protocol/error.ts";
import type { Message } from "../../../protocol/message.ts";
import { BlobStore } from "../../../store/blobs.ts";
import type { SearchOptions } from "../../../store/search_index.ts";
import type { SessionFilter } from "../../../store/filter.ts";
import { Store } from "../../../store/store.ts";
import { type Archive, exportSession, importSessions } from "../../../store/transfer.ts";
import { didYouMean } from "../../../util/nearest.ts";
import type { CommandInput } from "../../command.ts";
import { decodeText, err, out, readStdinText, stdoutClosed, useColor } from "../../io.ts";
import { readNamedFile, writeNamedFile } from "../../named_file.ts";
import { usageText } from "../../render/progress.ts";
import { counted, hitLines, sessionLines, statsLines, transcriptLines } from "./view.ts";
import { createStyle, type Style } from "../../render/style.ts";
import { homeOf } from "../../settings.ts";

const LIST_LIMIT = 20;
const PRUNE_DAYS = 90;
const DAY_MS = 86_400_000;

type Action = (archive: Archive, input: CommandInput) => number | Promise<number>;

const ACTIONS: Readonly<Record<string, Action>> = {
  list,
  show,
  search,
  export: exportAll,
  import: importFile,
  rename,
  delete: deleteSessions,
  prune,
  stats,
};

export async function main(input: CommandInput): Promise<number> {
  const home = homeOf(input);
  await requireProfile(home);
  using store = new Store(home.path("state.db"), { onNotice: (text) => err(`hermes: ${text}\n`) });
  const action = ACTIONS[input.path[1] ?? "list"]!;
  return await action({ store, blobs: new BlobStore(home.path("blobs")) }, input);
}

function list({ store }: Archive, { flags }: CommandInput): number {
  const limit = countOf(flags, "limit") ?? LIST_LIMIT;
  const filter: SessionFilter = flags["here"] === true ? { cwd: Deno.cwd() } : {};
  const source = sourceOf(store, flags);
  if (source !== undefined) filter.source = source;
  const sessions = store.listSessions({ ...filter, limit });
  if (flags["json"] === true) return print(sessions.map((session) => JSON.stringify(session)));
  if (sessions.length === 0) err("No sessions.\n");
  return print(sessionLines(sessions, stdoutStyle()));
}

/** @throws {UsageError} for a surface that nothing here was ever opened by. */
function sourceOf(store: Store, flags: CommandInput["flags"]): string | undefined {
  const { source } = flags;
  if (typeof source !== "string") return undefined;
  const known = [...new Set(["run", "chat", ...Object.keys(store.stats().sessionsBySource)])];
  if (known.includes(source)) return source;
  throw new UsageError(`no session has the source "${source}".${didYouMean(source, known)}`, {
    hint: `There are: ${known.join(", ")}.`,
  });
}

function show({ store }: Archive, { args, flags }: CommandInput): number {
  const session = store.findSession(args[0] ?? "");
  const messages = store.messages(session.id);
  const usage = store.totalUsage(session.id);
  if (flags["json"] === true) return print([JSON.stringify({ session, usage, messages })]);
  return print(
    transcriptLines(session, messages, { style: stdoutStyle(), usage: usageText(usage) }),
  );
}

function search({ store }: Archive, { args, flags }: CommandInput): number {
  const options: SearchOptions = { limit: countOf(flags, "limit") ?? LIST_LIMIT };
  if (flags["role"] !== undefined) options.role = flags["role"] as Message["role"];
  if (typeof flags["session"] === "string") {
    options.sessionId = store.findSession(flags["session"]).id;
  }
  const hits = store.search(args.join(" "), options);
  if (flags["json"] === true) return print(hits.map((hit) => JSON.stringify(hit)));
  if (hits.length === 0) err("Nothing found.\n");
  return print(hitLines(hits, stdoutStyle()));
}

async function exportAll(archive: Archive, { args, flags }: CommandInput): Promise<number> {
  const ids = args.length > 0
    ? args.map((reference) => archive.store.findSession(reference).id)
    : archive.store.listSessions().map((session) => session.id).reverse();
  const { output } = flags;
  const lines: string[] = [];
  for (const id of ids) {
    for await (const line of exportSession(archive, id)) {
      if (output === undefined) out(`${line}\n`);
      else lines.push(line);
    }
    if (stdoutClosed()) break;
  }
  if (typeof output === "string") {
    const text = lines.map((line) => `${line}\n`).join("");
    writeNamedFile(output, { name: "--output", text });
    err(`Exported ${counted(ids.length, "session")} to ${output}.\n`);
  }
  return EXIT.done;
}

async function importFile(archive: Archive, { args }: CommandInput): Promise<number> {
  const file = args[0]!;
  const text = file === "-"
    ? await readStdinText({ limitBytes: Infinity })
    : decodeText(readNamedFile(file), file);
  for (const { id, originalId, outcome } of await importSessions(archive, text)) {
    const note = outcome === "copied" ? ` (${originalId} was taken)` : "";
    out(`${id} ${outcome}${note}\n`);
  }
  return EXIT.done;
}

function rename({ store }: Archive, { args }: CommandInput): number {
  const [reference = "", ...words] = args;
  const { id } = store.findSession(reference);
  store.setTitle(id, words.join(" "));
  out(`${id} is now called "${store.getSession(id)?.title}"\n`);
  return EXIT.done;
}

function deleteSessions({ store }: Archive, { args, flags }: CommandInput): number {
  const sessions = [...new Set(args.map((reference) => store.findSession(reference).id))];
  confirmOrThrow(flags, `Delete ${sessions.join(", ")}?`);
  for (const id of sessions) store.deleteSession(id);
  return print(sessions.map((id) => `${id} deleted`));
}

async function prune({ store, blobs }: Archive, { flags }: CommandInput): Promise<number> {
  const days = countOf(flags, "older-than") ?? PRUNE_DAYS;
  const source = sourceOf(store, flags);
  const filter = {
    before: Date.now() - days * DAY_MS,
    ...(source !== undefined && { source }),
  };
  const doomed = store.listSessions(filter);
  if (doomed.length === 0 || flags["dry-run"] === true) {
    print(sessionLines(doomed, stdoutStyle()));
    err(`${counted(doomed.length, "session")} not used for more than ${days} days.\n`);
    return EXIT.done;
  }
  confirmOrThrow(
    flags,
    `Delete ${counted(doomed.length, "session")} not used for more than ${days} days?`,
  );
  const removed = store.prune(filter);
  const images = await blobs.collect(store.blobRefs());
  out(`${counted(removed.length, "session")} and ${counted(images, "unused image")} deleted\n`);
  return EXIT.done;
}

function stats({ store }: Archive, { flags }: CommandInput): number {
  const found = store.stats();
  return print(flags["json"] === true ? [JSON.stringify(found)] : statsLines(found));
}

function print(lines: readonly string[]): number {
  for (const line of lines) out(`${line}\n`);
  return EXIT.done;
}

function stdoutStyle(): Style {
  return createStyle(useColor("stdout"));
}

function countOf(flags: CommandInput["flags"], name: string): number | undefined {
  const value = flags[name];
  if (typeof value !== "number") return undefined;
  if (Number.isInteger(value) && value >= 0) return value;
  throw new UsageError(`--${name} must be a whole number, 0 or more, not ${value}`);
}

/** Asks the person at the terminal; without one, `--yes` is the only yes. */
function confirmOrThrow(flags: CommandInput["flags"], question: string): void {
  if (flags["yes"] === true) return;
  if (!Deno.stdin.isTerminal()) {
    throw new UsageError("this deletes sessions for good and nobody is here to confirm it", {
      hint: "Add --yes to go ahead.",
    });
  }
  if (!confirm(question)) throw new HermesError("nothing was deleted");
}
