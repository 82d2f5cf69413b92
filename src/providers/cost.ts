/** What a model call costs: the wire's token counts and the model's prices, nothing else. */
import type { Usage } from "../protocol/message.ts";
import type { ModelInfo } from "../protocol/provider.ts";

/** Adds the price. A cost that the provider itself states wins; an unknown rate leaves it out. */
export function withCost(usage: Usage, model: ModelInfo): Usage {
  if (usage.costUsd !== undefined) return usage;
  const { inputPrice, outputPrice } = model;
  if (inputPrice === undefined || outputPrice === undefined) return usage;
  const cached = usage.cachedInputTokens;
  const written = usage.cacheWriteTokens;
  const fresh = Math.max(0, usage.inputTokens - cached - written);
  const millionths = fresh * inputPrice + usage.outputTokens * outputPrice +
    cached * (model.cachedInputPrice ?? inputPrice) +
    written * (model.cacheWritePrice ?? inputPrice);
  return { ...usage, costUsd: millionths / 1e6 };
}
