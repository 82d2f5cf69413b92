/**
 * What a plugin says it registers, checked: it comes from foreign code. Shapes that make no
 * sense are left out with a line that says why; nothing here knows who else has a name.
 */
import { HOOK_NAMES, type HookName, UNSENT_HOOKS } from "../protocol/hook.ts";
import { cleanOutput } from "../util/clean_output.ts";
import { didYouMean } from "../util/nearest.ts";
import {
  readPlatform,
  readProvider,
  readRoute,
  readService,
  readTimer,
} from "./push/push_registrations.ts";
import type {
  CommandRecord,
  HookRecord,
  Registrations,
  SectionRecord,
  SkillRecord,
  ToolRecord,
} from "./messages.ts";

export interface CheckedRegistrations {
  registrations: Registrations;
  /** What was left out and why, one line each. */
  problems: string[];
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MAX_ITEMS = 128;
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA = 20_000;
const MAX_SKILL = 200_000;
/** Text one plugin may add to the system prompt, in one section and in all. */
const MAX_SECTION = 4_000;
const MAX_SECTIONS_TOTAL = 8_000;
const MAX_TIMEOUT_MS = 420_000;
export const DEFAULT_TOOL_TIMEOUT_MS = 60_000;
export const DEFAULT_HOOK_TIMEOUT_MS = 5_000;
const MAX_HOOK_TIMEOUT_MS = 60_000;

type Fields = Record<string, unknown>;

/** Reads registrations from untrusted data. Never throws. */
export function checkRegistrations(value: unknown): CheckedRegistrations {
  const problems: string[] = [];
  const fields = fieldsOf(value);
  const read = <T>(key: keyof Registrations, parse: (item: Fields) => T | string): T[] => {
    const items: unknown[] = Array.isArray(fields[key]) ? fields[key] : [];
    if (items.length > MAX_ITEMS) {
      problems.push(`${items.length - MAX_ITEMS} ${key} are left out: ${MAX_ITEMS} are enough`);
    }
    return items.slice(0, MAX_ITEMS).flatMap((item) => {
      const parsed = parse(fieldsOf(item));
      if (typeof parsed !== "string") return [parsed];
      problems.push(parsed);
      return [];
    });
  };
  const registrations: Registrations = {
    tools: read("tools", readTool),
    hooks: read("hooks", readHook),
    commands: read("commands", readCommand),
    skills: read("skills", readSkill),
    sections: read("sections", readSection),
    services: read("services", readService),
    timers: read("timers", readTimer),
    routes: read("routes", readRoute),
    platforms: read("platforms", readPlatform),
    providers: read("providers", readProvider),
  };
  return { registrations: { ...registrations, ...fitSections(registrations, problems) }, problems };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

function readTool(item: Fields): ToolRecord | string {
  const { name, description, schema } = item;
  if (!isName(name)) return `tool ${JSON.stringify(name)} is left out: it has no usable name`;
  if (typeof description !== "string" || description.trim() === "") {
    return `tool "${name}" is left out: it has no description`;
  }
  if (fieldsOf(schema).type !== "object" || JSON.stringify(schema).length > MAX_SCHEMA) {
    return `tool "${name}" is left out: its schema must be a JSON Schema of type "object"`;
  }
  return {
    name,
    description: description.slice(0, MAX_DESCRIPTION),
    schema: schema as Record<string, unknown>,
    timeoutMs: limited(item.timeoutMs, { standard: DEFAULT_TOOL_TIMEOUT_MS, max: MAX_TIMEOUT_MS }),
    ...(typeof item.emoji === "string" ? { emoji: plainLine(item.emoji, 8) } : {}),
    ...(typeof item.maxResultChars === "number" ? { maxResultChars: item.maxResultChars } : {}),
    ...flags(item, ["parallel", "idempotent", "untrusted", "readOnly", "override", "checked"]),
  };
}

function readHook(item: Fields): HookRecord | string {
  const { name } = item;
  if (!isHookName(name)) {
    const said = typeof name === "string" ? name : "";
    const why = UNSENT_HOOKS.get(said) ??
      `there is no such hook.${didYouMean(said, HOOK_NAMES)}`;
    return `hook ${JSON.stringify(name)} is left out: ${why}`;
  }
  const limits = { standard: DEFAULT_HOOK_TIMEOUT_MS, max: MAX_HOOK_TIMEOUT_MS };
  return {
    name,
    index: typeof item.index === "number" ? item.index : -1,
    timeoutMs: limited(item.timeoutMs, limits),
  };
}

function isHookName(name: unknown): name is HookName {
  return (HOOK_NAMES as readonly unknown[]).includes(name);
}

function readCommand(item: Fields): CommandRecord | string {
  const { name, description, args } = item;
  if (!isName(name)) return `command ${JSON.stringify(name)} is left out: it has no usable name`;
  return {
    name,
    description: plainLine(description, 200),
    ...(typeof args === "string" ? { args: plainLine(args, 40) } : {}),
  };
}

function readSkill(item: Fields): SkillRecord | string {
  const { name, description, content, path } = item;
  if (!isName(name)) return `skill ${JSON.stringify(name)} is left out: it has no usable name`;
  const source = typeof content === "string" && content.length <= MAX_SKILL
    ? { content }
    : typeof path === "string" && !path.startsWith("/") && !path.split("/").includes("..")
    ? { path }
    : undefined;
  if (source === undefined) {
    return `skill "${name}" is left out: it needs content of at most ${MAX_SKILL} characters or ` +
      "the path of a file below the plugin's folder";
  }
  return { name, description: plainLine(description, 1_000), ...source };
}

function readSection(item: Fields): SectionRecord | string {
  const { id, text } = item;
  if (!isName(id) || typeof text !== "string") {
    return `prompt section ${JSON.stringify(id)} is left out: it needs an id and a text`;
  }
  if (text.length > MAX_SECTION) {
    return `prompt section "${id}" is left out: it is longer than ${MAX_SECTION} characters`;
  }
  return { id, text };
}

/** Keeps sections in order while they fit. */
function fitSections(
  { sections }: Registrations,
  problems: string[],
): Pick<Registrations, "sections"> {
  let total = 0;
  const kept = sections.filter(({ id, text }) => {
    if (total + text.length > MAX_SECTIONS_TOTAL) {
      problems.push(`prompt section "${id}" is left out: all of them would be too long`);
      return false;
    }
    total += text.length;
    return true;
  });
  return { sections: kept };
}

/** One line that a terminal can show. */
function plainLine(value: unknown, maxChars: number): string {
  const text = typeof value === "string" ? value : "";
  return cleanOutput(text).replaceAll(/\s+/g, " ").trim().slice(0, maxChars);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && NAME.test(value);
}

function limited(value: unknown, { standard, max }: { standard: number; max: number }): number {
  return typeof value === "number" && value > 0 ? Math.min(value, max) : standard;
}

function flags<K extends string>(item: Fields, names: readonly K[]): { [key in K]?: true } {
  const set = names.filter((name) => item[name] === true).map((name) => [name, true]);
  return Object.fromEntries(set) as { [key in K]?: true };
}
