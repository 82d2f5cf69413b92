/**
 * What is wrong with an operation as it came: from a socket, a chat platform or a file it may be
 * anything. Looks at shapes only; whether it can be carried out now is the session's matter.
 */
import { END_REASONS } from "../protocol/event.ts";
import { BUSY_POLICIES, OPERATION_VERSION } from "../protocol/operation.ts";

type Fields = Readonly<Record<string, unknown>>;
type Check = (operation: Fields) => string | undefined;

const MAX_BY = 200;

/** Who ends a question where nobody answers it. */
const RESERVED: readonly unknown[] = ["timeout", "interrupt"];

/** For each operation what it must have, and the line for one that has it not. */
const SHAPES: Readonly<Record<string, Check>> = {
  input: all(
    choice("busy", BUSY_POLICIES),
    ({ content }) =>
      Array.isArray(content) && content.every(isPart)
        ? undefined
        : "content is a list of text and image parts",
    // Providers refuse an empty message, and it would stay in the transcript.
    ({ content }) => (content as Fields[]).every(isBlank) ? "content is empty" : undefined,
    optional("synthetic", "boolean", "true or false"),
    optional("outputSchema", "object", "an object"),
  ),
  continue: optional("outputSchema", "object", "an object"),
  steer: all(texts("text"), (part) => isBlank(part) ? "text is empty" : undefined),
  interrupt: optional("reason", "string", "a text"),
  // What the answer must hold depends on the question (`questions.ts`).
  answer: ({ questionId, answer, by }) =>
    RESERVED.includes(by)
      ? `by cannot be ${by}`
      : typeof questionId === "string" && typeof (answer as Fields | null)?.kind === "string"
      ? undefined
      : "questionId is a text and answer has a kind",
  command: texts("name", "argument"),
  compact: optional("topic", "string", "a text"),
  "set_model": all(texts("model"), optional("provider", "string", "a text")),
  close: choice("reason", END_REASONS),
};

/** One line that says why an operation means nothing; undefined when it is one. */
export function operationProblem(operation: unknown): string | undefined {
  if (typeof operation !== "object" || operation === null) return "an operation is an object";
  const { op, v = OPERATION_VERSION, by } = operation as Fields;
  if (v !== OPERATION_VERSION) {
    const said = typeof v === "number" || typeof v === "string" ? String(v).slice(0, 40) : typeof v;
    return `operations of version ${said} are not known, only ${OPERATION_VERSION}`;
  }
  if (typeof op !== "string" || !Object.hasOwn(SHAPES, op)) {
    return `there is no operation ${typeof op === "string" ? op.slice(0, 40) : typeof op}`;
  }
  if (by !== undefined && (typeof by !== "string" || by.length > MAX_BY)) {
    return `${op}: by is a text of at most ${MAX_BY} characters`;
  }
  const problem = SHAPES[op]!(operation as Fields);
  return problem === undefined ? undefined : `${op}: ${problem}`;
}

/** The first problem that one of the checks finds. */
function all(...checks: readonly Check[]): Check {
  return (operation) => {
    for (const check of checks) {
      const problem = check(operation);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

function optional(name: string, type: string, what: string): Check {
  return ({ [name]: value }) =>
    value === undefined || (typeof value === type && value !== null)
      ? undefined
      : `${name} is ${what}`;
}

function choice(name: string, values: readonly string[]): Check {
  return ({ [name]: value }) =>
    value === undefined || (values as readonly unknown[]).includes(value)
      ? undefined
      : `${name} is one of ${values.join(", ")}`;
}

function texts(...names: string[]): Check {
  return (operation) => {
    const wrong = names.find((name) => typeof operation[name] !== "string");
    return wrong === undefined ? undefined : `${wrong} is a text`;
  };
}

/** True where there is text and it says nothing. */
function isBlank({ text }: Fields): boolean {
  return typeof text === "string" && text.trim() === "";
}

function isPart(part: unknown): boolean {
  const { type, text, mediaType, ref } = (part ?? {}) as Fields;
  if (type === "text") return typeof text === "string";
  return type === "image" && typeof mediaType === "string" && typeof ref === "string";
}
