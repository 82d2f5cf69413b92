/**
 * What a command may see of hermes' own environment: everything but credentials and hermes'
 * internals. Names are judged word by word, values by their look; only an operator's explicit
 * name lets one through.
 */
import { isSecretVariable } from "../src/util/redact.ts";

/** Whole families: hermes' own settings, and model or messaging services with their endpoints. */
const PRIVATE_FAMILY = new RegExp(
  "^(?:_?HERMES|AUXILIARY|GATEWAY|OPENAI|ANTHROPIC|OPENROUTER|NOUS|GEMINI|DEEPSEEK|MISTRAL|GROQ|XAI|" +
    "TOGETHER|FIREWORKS|COHERE|MODAL|DAYTONA|VERCEL|TELEGRAM|DISCORD|SLACK|SIGNAL|WHATSAPP|HASS|EMAIL)_",
);
const SYSTEM_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** True when a variable must not reach a command. */
export function isPrivateVariable(name: string, value: string): boolean {
  return PRIVATE_FAMILY.test(name.toUpperCase()) || isSecretVariable(name, value);
}

/** The environment of a child: `env` without what is private, unless named in `pass`. */
export function childEnvironment(
  env: Readonly<Record<string, string>>,
  options: { pass: readonly string[]; home: string },
): Record<string, string> {
  const pass = new Set(options.pass);
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (pass.has(name) || !isPrivateVariable(name, value)) child[name] = value;
  }
  child.HOME ??= options.home;
  const path = child.PATH?.split(":").filter((dir) => dir !== "") ?? [];
  child.PATH = [...path, ...SYSTEM_PATH.filter((dir) => !path.includes(dir))].join(":");
  return child;
}
