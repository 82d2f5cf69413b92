/**
 * What is wrong with the spec of a session as it came: a server or a chat platform passes on what it
 * was given. A limit that is no number would limit nothing, and a list that is none lists nobody.
 */
import { APPROVAL_POLICIES } from "../protocol/approval.ts";
import { UsageError } from "../protocol/error.ts";
import { SANDBOX_MODES } from "../protocol/sandbox.ts";

type Fields = Readonly<Record<string, unknown>>;
/** What a value must be, in words, and whether it is that. */
type Kind = readonly [words: string, fits: (value: unknown) => boolean];

const TEXT: Kind = ["a text", (value) => typeof value === "string"];
const NAME: Kind = ["the id of a session, or latest", (value) => TEXT[1](value) && value !== ""];
const FLAG: Kind = ["true or false", (value) => typeof value === "boolean"];
const AMOUNT: Kind = ["a number above 0", (value) => typeof value === "number" && value > 0];
const LIST: Kind = [
  "a list of texts",
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
];
const PATH: Kind = [
  "an absolute path",
  (value) => typeof value === "string" && value.startsWith("/") && !value.includes("\0"),
];

const NETWORK: Kind = [
  "on, off, loopback, or hosts with commas between",
  (value) => typeof value === "string" && value.trim() !== "",
];

function oneOf(...values: readonly string[]): Kind {
  return [`one of ${values.join(", ")}`, (value) => (values as readonly unknown[]).includes(value)];
}

/** Everything a spec may hold; what is not here is ignored. */
const SHAPES: Readonly<Record<string, Kind | Readonly<Record<string, Kind>>>> = {
  surface: TEXT,
  origin: { platform: TEXT, chat: TEXT, thread: TEXT, user: TEXT },
  environment: TEXT,
  cwd: PATH,
  sandbox: oneOf(...SANDBOX_MODES),
  network: NETWORK,
  model: { name: TEXT, provider: TEXT, baseUrl: TEXT },
  offersOffline: FLAG,
  toolsets: { enabled: LIST, disabled: LIST },
  approval: {
    policy: oneOf(...APPROVAL_POLICIES),
    questions: oneOf("none", "approvals", "all"),
    once: LIST,
    answerers: LIST,
  },
  budget: { iterations: AMOUNT, tokens: AMOUNT, costUsd: AMOUNT, timeMs: AMOUNT },
  resume: { session: TEXT, here: FLAG },
  prompt: TEXT,
  extensions: { plugins: LIST, acceptPlugins: FLAG, acceptHooks: FLAG },
  storage: oneOf("durable", "none"),
  cassette: { record: TEXT, replay: TEXT },
};

/** @throws {UsageError} that names the first field which is not what it must be. */
export function requireSpec(spec: unknown): void {
  const fields = fieldsOf(spec, "the spec of a session");
  requireFit(fields.surface ?? null, TEXT, "surface");
  for (const [name, shape] of Object.entries(SHAPES)) {
    const value = fields[name];
    if (value === undefined) continue;
    if (Array.isArray(shape)) {
      requireFit(value, shape as unknown as Kind, name);
      continue;
    }
    const inner = fieldsOf(value, name, Object.keys(shape));
    for (const [key, kind] of Object.entries(shape as Readonly<Record<string, Kind>>)) {
      if (inner[key] !== undefined) requireFit(inner[key], kind, `${name}.${key}`);
    }
    // Everything else in a spec has a default; which session to go on with has none.
    if (name === "resume") requireFit(inner.session ?? null, NAME, "resume.session");
  }
}

function requireFit(value: unknown, [words, fits]: Kind, name: string): void {
  if (!fits(value)) throw new UsageError(`${name} must be ${words}`);
}

/** The value as an object; `keys` are what it may hold, for the line about one that is none. */
function fieldsOf(value: unknown, name: string, keys: readonly string[] = []): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  const holding = keys.length === 0 ? "" : ` with ${keys.join(", ")}`;
  throw new UsageError(`${name} must be an object${holding}`);
}
