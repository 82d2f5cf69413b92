/** `clarify`: questions to the person at the surface; a defined answer when no person is present. */
import { ToolError } from "../src/protocol/error.ts";
import type { InferSchema } from "../src/protocol/json_schema.ts";
import type { ClarifyQuestion } from "../src/protocol/services.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import type { AnswersDetails } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { registry } from "../src/registry/registry.ts";

const MAX_CHOICES = 4;
const MAX_QUESTIONS = 5;
const RECOMMENDED = " (Recommended)";
const NOBODY =
  "Nobody is there to answer. Decide yourself: take the most reasonable option, go on, " +
  "and say in the final answer what you assumed.";
const TIMED_OUT =
  "No answer in time. Decide yourself: take the most reasonable option, go on, and " +
  "say what you assumed.";

const SCHEMA = {
  type: "object",
  properties: {
    question: { type: "string" },
    choices: {
      type: "array",
      items: { type: "string" },
      description: "at most 4, the best first; Other is added; none: free text",
    },
    multi_select: { type: "boolean" },
    questions: {
      type: "array",
      description: "several at once instead, at most 5",
      items: {
        type: "object",
        properties: {
          id: { type: "string" },
          question: { type: "string" },
          choices: { type: "array", items: { type: "string" } },
          multi_select: { type: "boolean" },
        },
        required: ["question"],
      },
    },
  },
} as const;

registry.register({
  name: "clarify",
  toolset: "clarify",
  effects: [],
  description: "Ask the user when the task is truly ambiguous and the answer changes the result. " +
    "Not for permission, and not for what you can find out.",
  schema: SCHEMA,
  emoji: "❓",
  lenient: true,
  timeoutMs: 0,
  summary: ({ question }) => question ?? "several questions",
  handler: clarify,
  view: {
    line: ({ details: { answers, answered } }) =>
      answered ? answers.map(({ answer }) => answer).join(" · ") : "nobody answered",
    expanded: ({ details: { answers } }) => [{
      kind: "list",
      items: answers.map(({ question, answer }) => ({ text: `${question} ${answer}` })),
    }],
  },
});

interface Asked {
  id: string | undefined;
  question: ClarifyQuestion;
  /** The choices without the mark on the first. */
  choices: string[];
}

async function clarify(
  args: InferSchema<typeof SCHEMA>,
  ctx: ToolContext,
): Promise<ToolResult<AnswersDetails>> {
  const batch: unknown[] = [args.questions ?? []].flat();
  if (batch.length > MAX_QUESTIONS) {
    throw new ToolError(`At most ${MAX_QUESTIONS} questions at once; ${batch.length} were sent.`);
  }
  const asked = (batch.length > 0 ? batch : [args]).map(prepare);
  const answers = await ask(ctx, asked.map(({ question }) => question));
  const responses = asked.map(({ id, question, choices }, i) => ({
    ...(id === undefined ? {} : { id }),
    question: question.question,
    choices_offered: choices,
    user_response: typeof answers === "string" ? answers : response(question, answers[i] ?? []),
  }));
  const unanswered = typeof answers === "string" ? { answered: false } : {};
  const timedOut = answers === TIMED_OUT ? { timed_out: true } : {};
  const only = batch.length === 0 ? responses[0] : { responses };
  return {
    content: { ...only, ...unanswered, ...timedOut },
    details: {
      kind: "answers",
      answered: typeof answers !== "string",
      answers: responses.map(({ question, user_response: answer }) => ({
        question,
        answer: [answer].flat().join(", "),
      })),
    },
  };
}

/** A question as models send it, also as bare text, with choices as objects, or with a numeric id. */
function prepare(given: unknown, index: number): Asked {
  const raw = typeof given === "object" && given !== null
    ? given as Record<string, unknown>
    : { question: given };
  const question = choiceText(raw.question);
  if (question === "") throw new ToolError("question is missing: say what you need to know.");
  const choices = [raw.choices ?? []].flat().map(choiceText).filter((text) => text !== "")
    .slice(0, MAX_CHOICES);
  const id = raw.id === undefined || raw.id === null ? undefined : String(raw.id);
  const shown = choices.length < 2 ? choices : [`${choices[0]}${RECOMMENDED}`, ...choices.slice(1)];
  return {
    id,
    choices,
    question: {
      id: id ?? String(index + 1),
      question,
      choices: shown,
      multiSelect: raw.multi_select === true,
    },
  };
}

/** A choice as text; models also send objects. */
function choiceText(choice: unknown): string {
  if (typeof choice !== "object" || choice === null) {
    return String(choice ?? "").trim().replace(/\(Recommended\)$/i, "").trimEnd();
  }
  const { label, description, text, title } = choice as Record<string, unknown>;
  return choiceText(label ?? description ?? text ?? title ?? "");
}

/** The answers by question, or the sentence that stands for them when there are none. */
async function ask(ctx: ToolContext, questions: ClarifyQuestion[]): Promise<string[][] | string> {
  const answers = await ctx.services.clarifier.ask(questions, ctx.signal) ?? NOBODY;
  return answers === "expired" ? TIMED_OUT : answers;
}

function response(question: ClarifyQuestion, answers: readonly string[]): string | string[] {
  const clean = answers.map((answer) =>
    answer.endsWith(RECOMMENDED) ? answer.slice(0, -RECOMMENDED.length) : answer
  );
  if (question.multiSelect) return clean;
  return clean.join(", ") || "(no answer given: decide yourself)";
}
