/**
 * `--output-schema`: the answer must be JSON of a given shape. Asks again with the violations,
 * a bounded number of times, then ends with reason `schema`.
 */
import { UsageError } from "../../../protocol/error.ts";
import type { JsonSchema } from "../../../protocol/json_schema.ts";
import type { UserPart } from "../../../protocol/message.ts";
import { createSchemaCheck, type SchemaCheck } from "../../../deps/ajv.ts";
import { isDeeperThan, MAX_JSON_DEPTH } from "../../../util/json_depth.ts";
import { reasonOf } from "../../../util/reason.ts";
import { decodeText } from "../../io.ts";
import { readNamedFile } from "../../named_file.ts";
import type { RunJob } from "./job.ts";
import type { RunEnd } from "./end.ts";

const MAX_ATTEMPTS = 3;

export interface OutputSchema {
  schema: JsonSchema;
  check: SchemaCheck;
}

/** Reads and compiles a schema file. @throws {UsageError} when it is unreadable or no JSON Schema. */
export function loadOutputSchema(path: string): OutputSchema {
  const source = decodeText(readNamedFile(path, "--output-schema"), path);
  try {
    const schema: unknown = JSON.parse(source);
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
      throw new TypeError("a schema is a JSON object");
    }
    return { schema: schema as JsonSchema, check: createSchemaCheck(schema) };
  } catch (cause) {
    throw new UsageError(`--output-schema ${path} is not a valid JSON Schema: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** Runs turns until the answer fits. The result's text is the bare JSON. */
export async function runWithSchema(
  job: RunJob,
  first: UserPart[] | undefined,
  output: OutputSchema,
): Promise<RunEnd> {
  const { schema: outputSchema } = output;
  let content = first && withInstruction(first, outputSchema);
  let synthetic = false;
  for (let attempt = 1;; attempt++) {
    const result = await job.turn(content, { outputSchema, synthetic });
    if (result.reason !== "done") return result;
    const answer = extractJson(result.text);
    const problem = answer.ok ? output.check(answer.value) : answer.problem;
    if (answer.ok && problem === undefined) return { ...result, text: answer.text };
    if (attempt === MAX_ATTEMPTS) {
      return {
        ...result,
        reason: "schema",
        detail: `the answer does not fit the output schema after ${attempt} attempts: ${problem}`,
      };
    }
    synthetic = true;
    content = [{
      type: "text",
      text: `That answer does not fit the required JSON Schema: ${problem}. ` +
        "Answer again with the corrected JSON only.",
    }];
  }
}

function withInstruction(content: UserPart[], schema: JsonSchema): UserPart[] {
  return [...content, {
    type: "text",
    text: "Give the final answer as JSON only, without a code fence or other text, fitting this " +
      `JSON Schema:\n${JSON.stringify(schema)}`,
  }];
}

type Extracted = { ok: true; text: string; value: unknown } | { ok: false; problem: string };

/** The inside of a text that is one code fence; others as they are. */
function withoutFence(text: string): string {
  const opening = /^```(?:json)?[^\S\n]*\n/.exec(text)?.[0];
  const last = text.lastIndexOf("\n");
  if (opening === undefined || text.slice(last).trim() !== "```") return text;
  return text.slice(opening.length, last).trim();
}

/** The JSON of an answer: the whole text, or the inside of its one code fence. */
export function extractJson(text: string): Extracted {
  const candidate = withoutFence(text.trim());
  try {
    const value: unknown = JSON.parse(candidate);
    if (isDeeperThan(value, MAX_JSON_DEPTH)) {
      return { ok: false, problem: `nested deeper than ${MAX_JSON_DEPTH} levels` };
    }
    return { ok: true, text: candidate, value };
  } catch (error) {
    return { ok: false, problem: `not valid JSON (${reasonOf(error)})` };
  }
}
