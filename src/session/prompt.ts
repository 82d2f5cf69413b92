/** The system prompt of a session, and text of others without the person's secrets. */
import { startDirectory } from "../../environments/start_directory.ts";
import type { Settings } from "../config/load.ts";
import { readProjectFiles } from "../context/project_files.ts";
import { buildSystemPrompt, isPromptFor, promptChanges } from "../context/system_prompt.ts";
import type { ToolDefinition } from "../protocol/provider.ts";
import type { PromptFacts as StoredPrompt } from "../store/record.ts";
import { existsSync } from "../util/exists.ts";
import { mayHoldSecret } from "../text/secret_hint.ts";
import { PLAN_NOTE } from "./approval_policy.ts";
import { ENV_FILES } from "./env_files_data.ts";
import { readProjectText } from "./project_text.ts";

export interface PromptFacts {
  settings: Settings;
  cwd: string;
  environment: string;
  /** No person watches the session. */
  headless: boolean;
  tools: readonly ToolDefinition[];
  /** The model's window: project files take a share of it. */
  contextTokens: number;
  /** True for a session that changes nothing and ends with a plan. */
  isPlan: boolean;
  /** Texts of plugins. */
  sections: readonly string[];
  /** What the spec adds; absent: what it added when the session began. */
  ownPrompt?: string;
}

/** The prompt of a session, with what is stored beside it. */
export interface SessionPrompt extends StoredPrompt {
  /** Says that it is another one than the session had. */
  notice?: string;
}

/**
 * The prompt of a session that opens. A resumed one keeps its own, byte for byte, as long as
 * everything it was made of is the same; otherwise it is made anew and a notice says so.
 */
export async function promptOf(facts: PromptFacts, found?: StoredPrompt): Promise<SessionPrompt> {
  const { environment, ownPrompt = found?.ownPrompt } = facts;
  // A session of an older version: what its opener had asked for would be lost.
  if (found && ownPrompt === undefined && isPromptFor(found.systemPrompt, environment)) {
    return { systemPrompt: found.systemPrompt };
  }
  const kept = ownPrompt ?? "";
  const prompt = { systemPrompt: await buildPrompt(facts, kept), ownPrompt: kept };
  if (found === undefined || found.systemPrompt === prompt.systemPrompt) return prompt;
  const what = promptChanges(found.systemPrompt, prompt.systemPrompt);
  return { ...prompt, notice: `the instructions of this session are made anew: ${what}` };
}

async function buildPrompt(facts: PromptFacts, ownPrompt: string): Promise<string> {
  const { cwd, settings: { config } } = facts;
  const project = facts.environment === "local"
    ? readProjectFiles(cwd, {
      read: readProjectText,
      exists: existsSync,
      maxChars: config.context_file_max_chars,
      contextTokens: facts.contextTokens,
    })
    : undefined;
  const { environment_hint: hint, system_prompt: own } = config.agent;
  const plan = facts.isPlan ? PLAN_NOTE : "";
  const extra = [hint, own, ...facts.sections, ownPrompt, plan].filter((text) => text !== "")
    .join("\n\n");
  return buildSystemPrompt({
    cwd: facts.environment === "local" ? cwd : startDirectory(facts.environment, config.terminal),
    platform: `${Deno.build.os} ${Deno.build.arch}`,
    date: new Date().toISOString().slice(0, 10),
    environment: facts.environment,
    headless: facts.headless,
    tools: facts.tools.map((tool) => tool.name),
    ...(project === undefined ? {} : { project: await cleanProject(facts, project) }),
    ...(extra === "" ? {} : { extra }),
  });
}

/** A project's instructions without the secrets of the settings and of the project's own files. */
async function cleanProject({ settings, cwd }: PromptFacts, text: string): Promise<string> {
  if (!ENV_FILES.some((name) => existsSync(`${cwd}/${name}`))) {
    return await withoutSecrets(settings, text);
  }
  const { projectRedactor } = await import("./project_secrets.ts");
  return projectRedactor(settings, cwd)(text, "code");
}

/** For text that others wrote: a project's author, or a server that repeats what it was sent. */
export async function withoutSecrets(settings: Settings, text: string): Promise<string> {
  if (!mayHoldSecret(text, secretCandidates(settings))) return text;
  const { settingsRedactor } = await import("../config/known_secrets.ts");
  return settingsRedactor(settings)(text, "code");
}

/** Every value that might be a secret: telling which are takes more than a first look. */
function* secretCandidates({ variables, config }: Settings): Generator<string> {
  for (const [, value] of variables()) yield value;
  yield* strings(config);
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) yield* strings(inner);
  }
}
