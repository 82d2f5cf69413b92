/**
 * What is wrong with an operation as it came: from a socket, a chat platform or a file it may be
 * anything. Looks at shapes only; whether it can be carried out now is the session's matter.
 */
import { BUSY_POLICIES, OPERATION_VERSION } from "../protocol/operation.ts";
import type { EndReason } from "../protocol/event.ts";

type Fields = Readonly<Record<string, unknown>>;

const END_REASONS: Readonly<Record<EndReason, true>> = {
  done: true,
  failed: true,
  "needs_approval": true,
  budget: true,
  provider: true,
  schema: true,
  interrupted: true,
};
/** Who ends a question where nobody answers it. */
const RESERVED: readonly unknown[] = ["timeout", "interrupt"];

/** For each operation what it must have, and the line for one that has it not. */
const SHAPES: Readonly<Record<string, (operation: Fields) => string | undefined>> = {
  input: ({ content, busy }) =>
    busy !== undefined && !(BUSY_POLICIES as readonly unknown[]).includes(busy)
      ? `busy is one of ${BUSY_POLICIES.join(", ")}`
      : Array.isArray(content) && content.every(isPart)
      ? undefined
      : "content is a list of text and image parts",
  continue: () => undefined,
  steer: texts("text"),
  interrupt: optionalText("reason"),
  answer: ({ questionId, answer, by }) =>
    RESERVED.includes(by)
      ? `by cannot be ${by}`
      : typeof questionId === "string" && typeof (answer as Fields | null)?.kind === "string"
      ? undefined
      : "questionId is a text and answer has a kind",
  command: texts("name", "argument"),
  compact: optionalText("topic"),
  "set_model": (operation) => texts("model")(operation) ?? optionalText("provider")(operation),
  close: ({ reason }) =>
    reason === undefined || Object.hasOwn(END_REASONS, String(reason))
      ? undefined
      : `reason is one of ${Object.keys(END_REASONS).join(", ")}`,
};

/** One line that says why an operation means nothing; undefined when it is one. */
export function operationProblem(operation: unknown): string | undefined {
  if (typeof operation !== "object" || operation === null) return "an operation is an object";
  const { op, v = OPERATION_VERSION, by } = operation as Fields;
  if (v !== OPERATION_VERSION) {
    return `operations of version ${v} are not known, only ${OPERATION_VERSION}`;
  }
  if (typeof op !== "string" || !Object.hasOwn(SHAPES, op)) {
    return `there is no operation ${typeof op === "string" ? op.slice(0, 40) : typeof op}`;
  }
  if (by !== undefined && typeof by !== "string") return `${op}: by is a text`;
  const problem = SHAPES[op]!(operation as Fields);
  return problem === undefined ? undefined : `${op}: ${problem}`;
}

function texts(...names: string[]): (operation: Fields) => string | undefined {
  return (operation) => {
    const wrong = names.find((name) => typeof operation[name] !== "string");
    return wrong === undefined ? undefined : `${wrong} is a text`;
  };
}

function optionalText(name: string): (operation: Fields) => string | undefined {
  return ({ [name]: value }) =>
    value === undefined || typeof value === "string" ? undefined : `${name} is a text`;
}

function isPart(part: unknown): boolean {
  const { type, text, mediaType, ref } = (part ?? {}) as Fields;
  if (type === "text") return typeof text === "string";
  return type === "image" && typeof mediaType === "string" && typeof ref === "string";
}
