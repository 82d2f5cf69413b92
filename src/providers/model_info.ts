/** What is known of a model from its name alone. Unknown names get a cautious guess. */
import type { ModelInfo, ModelRequest } from "../protocol/provider.ts";
import { entryOf } from "./parts.ts";
import { MODELS, REASONING_MODELS, TEXT_ONLY_MODELS } from "./models_data.ts";

const UNKNOWN_CONTEXT_TOKENS = 128_000;
/** Longer than any known name; a server may list a name without end. */
const MAX_NAME_CHARS = 200;

export interface ModelInfoOptions {
  /** Served on this machine: costs nothing. */
  local?: boolean;
  /** The person knows the window better. */
  contextTokens?: number;
}

/** Facts for budgets and accounting. */
export function modelInfo(id: string, options: ModelInfoOptions = {}): ModelInfo {
  const name = normalizeModelName(id);
  const [context, maxOutputTokens, input, output, cached, written] = factsOf(name) ??
    [UNKNOWN_CONTEXT_TOKENS];
  const free = options.local || id.endsWith(":free");
  const prices = free
    ? { inputPrice: 0, outputPrice: 0, cachedInputPrice: 0, cacheWritePrice: 0 }
    : {
      ...(input === undefined ? {} : { inputPrice: input }),
      ...(output === undefined ? {} : { outputPrice: output }),
      ...(cached === undefined ? {} : { cachedInputPrice: cached }),
      ...(written === undefined ? {} : { cacheWritePrice: written }),
    };
  return {
    id,
    contextTokens: options.contextTokens || context,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...prices,
    reasoning: REASONING_MODELS.test(name),
    images: !TEXT_ONLY_MODELS.test(name),
  };
}

/** `anthropic/Claude-Opus-4.6:beta` → `claude-opus-4-6`. */
export function normalizeModelName(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1).split(":", 1)[0]!.toLowerCase().replaceAll(".", "-");
}

function factsOf(name: string): typeof MODELS[string] | undefined {
  for (let end = Math.min(name.length, MAX_NAME_CHARS); end > 0; end--) {
    // A name goes on with a dash or not at all: "o3x" is not "o3", but "qwen3" is "qwen".
    if (end < name.length && /[a-z]/.test(name[end]!)) continue;
    const facts = entryOf(MODELS, name.slice(0, end));
    if (facts !== undefined) return facts;
  }
  return undefined;
}

type Effort = NonNullable<ModelRequest["reasoningEffort"]>;

/** `none` came with GPT-5.1; models before it refuse the word and always think a little. */
export function knownEffort(effort: Effort, model: string): Effort {
  if (effort !== "none") return effort;
  const name = normalizeModelName(model);
  if (/^o\d/.test(name)) return "low";
  return /^gpt-5(?!-\d)/.test(name) ? "minimal" : "none";
}
