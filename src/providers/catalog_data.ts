/**
 * The providers hermes knows: where they are, which variable holds their key, what they
 * speak. Order is the order in which a present key is chosen. A new provider is one row.
 */
import type { Quirks } from "./exchange.ts";

export type Wire = "openai_chat" | "openai_responses" | "anthropic_messages";

export interface CatalogEntry {
  id: string;
  aliases?: readonly string[];
  /** Empty where the person supplies it. */
  baseUrl: string;
  /** Variables that may hold the key, best first; empty where none is needed. */
  keyEnv: readonly string[];
  /** Variable that moves the provider, and its key, to another address. */
  urlEnv?: string;
  wire: Wire;
  /** Used when no model is named; absent where the server is asked. */
  model?: string;
  /** Serves models of many vendors under `vendor/model` names. */
  aggregator?: boolean;
  /** Its models by the start of their names. */
  family?: RegExp;
  /** A key in the environment alone does not choose it: people hold that key for other reasons. */
  neverAuto?: boolean;
  quirks?: Quirks;
}

const COMPATIBLE: Quirks = {
  reasoningEcho: "echo",
  effort: "reasoning_effort",
  jsonSchema: true,
};

/** The embedded offline model answers here; `.invalid` can never be a real host. */
export const OFFLINE_BASE_URL = "http://offline.invalid/v1";

export const CATALOG: readonly CatalogEntry[] = [
  {
    id: "openrouter",
    aliases: ["or"],
    baseUrl: "https://openrouter.ai/api/v1",
    keyEnv: ["OPENROUTER_API_KEY"],
    urlEnv: "OPENROUTER_BASE_URL",
    wire: "openai_chat",
    model: "anthropic/claude-sonnet-5",
    aggregator: true,
    quirks: { ...COMPATIBLE, effort: "reasoning", headers: { "x-title": "hermes" } },
  },
  {
    id: "nous",
    aliases: ["nousresearch", "nous-portal"],
    baseUrl: "https://inference-api.nousresearch.com/v1",
    keyEnv: ["NOUS_API_KEY"],
    urlEnv: "NOUS_INFERENCE_BASE_URL",
    wire: "openai_chat",
    model: "nousresearch/hermes-4-405b",
    aggregator: true,
    quirks: { ...COMPATIBLE, effort: "reasoning" },
  },
  {
    id: "anthropic",
    baseUrl: "https://api.anthropic.com",
    keyEnv: ["ANTHROPIC_API_KEY"],
    urlEnv: "ANTHROPIC_BASE_URL",
    wire: "anthropic_messages",
    model: "claude-sonnet-5",
    family: /^claude/,
  },
  {
    id: "openai",
    aliases: ["openai-api"],
    baseUrl: "https://api.openai.com/v1",
    keyEnv: ["OPENAI_API_KEY"],
    urlEnv: "OPENAI_BASE_URL",
    wire: "openai_responses",
    model: "gpt-5.6-terra",
    family: /^(gpt-|chatgpt|codex|o\d)/,
    quirks: { effort: "reasoning_effort", maxCompletionTokens: true, jsonSchema: true },
  },
  {
    id: "gemini",
    aliases: ["google", "google-ai-studio"],
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyEnv: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    urlEnv: "GEMINI_BASE_URL",
    wire: "openai_chat",
    model: "gemini-3.6-flash",
    family: /^(gemini|gemma)/,
    quirks: { effort: "reasoning_effort", jsonSchema: true },
  },
  {
    id: "deepseek",
    baseUrl: "https://api.deepseek.com/v1",
    keyEnv: ["DEEPSEEK_API_KEY"],
    urlEnv: "DEEPSEEK_BASE_URL",
    wire: "openai_chat",
    model: "deepseek-v4-flash",
    family: /^deepseek/,
    quirks: { reasoningEcho: "require" },
  },
  {
    id: "xai",
    aliases: ["x-ai", "x.ai"],
    baseUrl: "https://api.x.ai/v1",
    keyEnv: ["XAI_API_KEY"],
    urlEnv: "XAI_BASE_URL",
    wire: "openai_chat",
    model: "grok-4.6",
    family: /^grok/,
    quirks: { effort: "reasoning_effort", jsonSchema: true },
  },
  {
    id: "mistral",
    aliases: ["mistralai"],
    baseUrl: "https://api.mistral.ai/v1",
    keyEnv: ["MISTRAL_API_KEY"],
    wire: "openai_chat",
    model: "mistral-large-latest",
    family: /^(mistral|ministral|magistral|codestral|devstral)/,
    quirks: { jsonSchema: true },
  },
  {
    id: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyEnv: ["GROQ_API_KEY"],
    wire: "openai_chat",
    model: "openai/gpt-oss-120b",
    quirks: { effort: "reasoning_effort" },
  },
  {
    id: "cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keyEnv: ["CEREBRAS_API_KEY"],
    wire: "openai_chat",
    model: "gpt-oss-120b",
    quirks: { effort: "reasoning_effort" },
  },
  {
    id: "together",
    aliases: ["togetherai"],
    baseUrl: "https://api.together.xyz/v1",
    keyEnv: ["TOGETHER_API_KEY"],
    wire: "openai_chat",
    model: "openai/gpt-oss-120b",
  },
  {
    id: "fireworks",
    aliases: ["fireworks-ai"],
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyEnv: ["FIREWORKS_API_KEY"],
    wire: "openai_chat",
    model: "accounts/fireworks/models/gpt-oss-120b",
    quirks: COMPATIBLE,
  },
  {
    id: "deepinfra",
    baseUrl: "https://api.deepinfra.com/v1/openai",
    keyEnv: ["DEEPINFRA_API_KEY"],
    urlEnv: "DEEPINFRA_BASE_URL",
    wire: "openai_chat",
    model: "openai/gpt-oss-120b",
  },
  {
    id: "kimi",
    aliases: ["moonshot", "moonshotai", "kimi-coding"],
    baseUrl: "https://api.moonshot.ai/v1",
    keyEnv: ["KIMI_API_KEY", "MOONSHOT_API_KEY"],
    urlEnv: "KIMI_BASE_URL",
    wire: "openai_chat",
    model: "kimi-k3",
    family: /^(kimi|moonshot)/,
    quirks: { reasoningEcho: "require" },
  },
  {
    id: "zai",
    aliases: ["z-ai", "z.ai", "glm", "zhipu"],
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyEnv: ["ZAI_API_KEY", "GLM_API_KEY"],
    urlEnv: "GLM_BASE_URL",
    wire: "openai_chat",
    model: "glm-5.2",
    family: /^glm/,
    quirks: { reasoningEcho: "echo" },
  },
  {
    id: "minimax",
    baseUrl: "https://api.minimax.io/anthropic",
    keyEnv: ["MINIMAX_API_KEY"],
    urlEnv: "MINIMAX_BASE_URL",
    wire: "anthropic_messages",
    model: "MiniMax-M3",
    family: /^minimax/i,
  },
  {
    id: "alibaba",
    aliases: ["dashscope", "qwen"],
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyEnv: ["DASHSCOPE_API_KEY"],
    urlEnv: "DASHSCOPE_BASE_URL",
    wire: "openai_chat",
    model: "qwen3-coder-plus",
    family: /^(qwen|qwq)/,
  },
  {
    id: "nvidia",
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyEnv: ["NVIDIA_API_KEY"],
    urlEnv: "NVIDIA_BASE_URL",
    wire: "openai_chat",
    model: "openai/gpt-oss-120b",
  },
  {
    id: "novita",
    baseUrl: "https://api.novita.ai/openai/v1",
    keyEnv: ["NOVITA_API_KEY"],
    urlEnv: "NOVITA_BASE_URL",
    wire: "openai_chat",
    model: "openai/gpt-oss-120b",
  },
  {
    id: "huggingface",
    aliases: ["hf"],
    baseUrl: "https://router.huggingface.co/v1",
    keyEnv: ["HF_TOKEN"],
    urlEnv: "HF_BASE_URL",
    wire: "openai_chat",
    model: "openai/gpt-oss-120b",
    neverAuto: true,
  },
  {
    id: "ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyEnv: [],
    urlEnv: "OLLAMA_HOST",
    wire: "openai_chat",
    quirks: COMPATIBLE,
  },
  {
    id: "lmstudio",
    aliases: ["lm-studio"],
    baseUrl: "http://127.0.0.1:1234/v1",
    keyEnv: ["LM_API_KEY"],
    urlEnv: "LM_BASE_URL",
    wire: "openai_chat",
    neverAuto: true,
    quirks: COMPATIBLE,
  },
  {
    id: "custom",
    aliases: ["vllm", "llamacpp", "llama.cpp", "local"],
    baseUrl: "",
    keyEnv: [],
    wire: "openai_chat",
    quirks: COMPATIBLE,
  },
  {
    id: "offline",
    baseUrl: OFFLINE_BASE_URL,
    keyEnv: [],
    wire: "openai_chat",
    model: "offline",
  },
];
