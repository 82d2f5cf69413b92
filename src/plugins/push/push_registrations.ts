/**
 * What a plugin says it does without being called, checked: services, timers, routes, platforms and
 * model providers. Each reader answers a record, or the line that says why it is left out.
 */
import type { PlatformFacts } from "../../protocol/plugin.ts";
import type { ModelInfo } from "../../protocol/provider.ts";
import { LONGEST_TIMER_MS } from "../../util/sleep.ts";
import type { ProviderRecord, RouteRecord, ServiceRecord, TimerRecord } from "../messages.ts";

type Fields = Record<string, unknown>;

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const METHODS: readonly unknown[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const FORMATS: readonly unknown[] = ["plain", "markdown", "html"];
const MIN_TIMER_MS = 1_000;
const MAX_PATH = 600;
const MAX_MODELS = 1_000;
const MAX_MODEL_ID = 200;
const MAX_MESSAGE_CHARS = 1_000_000;

export function readService({ name, checked }: Fields): ServiceRecord | string {
  if (!isName(name)) return nameless("service", name);
  return { name, ...(checked === true ? { checked } : {}) };
}

export function readTimer({ name, everyMs }: Fields): TimerRecord | string {
  if (!isName(name)) return nameless("timer", name);
  if (typeof everyMs !== "number" || !(everyMs >= MIN_TIMER_MS && everyMs <= LONGEST_TIMER_MS)) {
    return `timer "${name}" is left out: everyMs must be ${MIN_TIMER_MS} to ${LONGEST_TIMER_MS}`;
  }
  return { name, everyMs };
}

export function readRoute({ path, methods }: Fields): RouteRecord | string {
  if (typeof path !== "string" || !path.startsWith("/") || path.length > MAX_PATH) {
    return `route ${JSON.stringify(path)} is left out: it has no usable path`;
  }
  const known = Array.isArray(methods) && methods.length > 0 &&
    methods.every((method) => METHODS.includes(method));
  if (!known) return `route "${path}" is left out: methods must be among ${METHODS.join(", ")}`;
  return { path, methods: [...new Set(methods as string[])] };
}

export function readPlatform(item: Fields): PlatformFacts | string {
  const { name, maxChars, format, canEdit, canShowTyping } = item;
  if (!isName(name)) return nameless("platform", name);
  const fits = typeof maxChars === "number" && maxChars >= 1 && maxChars <= MAX_MESSAGE_CHARS;
  if (!fits || !FORMATS.includes(format)) {
    return `platform "${name}" is left out: maxChars must be a number from 1 to ` +
      `${MAX_MESSAGE_CHARS}, format one of ${FORMATS.join(", ")}`;
  }
  return {
    name,
    maxChars: Math.floor(maxChars),
    format: format as PlatformFacts["format"],
    canEdit: canEdit === true,
    canShowTyping: canShowTyping === true,
  };
}

export function readProvider({ name, models }: Fields): ProviderRecord | string {
  if (!isName(name)) return nameless("provider", name);
  const list: unknown[] = Array.isArray(models) ? models.slice(0, MAX_MODELS) : [];
  const read = list.map(readModel).filter((model) => model !== undefined);
  if (read.length === 0 || read.length < list.length) {
    return `provider "${name}" is left out: every model needs an id and contextTokens`;
  }
  return { name, models: read };
}

const MODEL_NUMBERS = [
  "maxOutputTokens",
  "inputPrice",
  "outputPrice",
  "cachedInputPrice",
  "cacheWritePrice",
] as const;

function readModel(value: unknown): ModelInfo | undefined {
  const fields = typeof value === "object" && value !== null ? value as Fields : {};
  const { id, contextTokens, reasoning, images } = fields;
  if (typeof id !== "string" || id === "" || id.length > MAX_MODEL_ID) return undefined;
  if (!isAmount(contextTokens) || contextTokens === 0) return undefined;
  const numbers = MODEL_NUMBERS.flatMap((key) => isAmount(fields[key]) ? [[key, fields[key]]] : []);
  return {
    id,
    contextTokens,
    ...Object.fromEntries(numbers),
    ...(reasoning === true ? { reasoning } : {}),
    ...(images === true ? { images } : {}),
  };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && NAME.test(value);
}

function nameless(kind: string, name: unknown): string {
  return `${kind} ${JSON.stringify(name)} is left out: it has no usable name`;
}
