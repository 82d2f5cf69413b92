/**
 * What a command may see of hermes' own environment: everything but credentials and hermes'
 * internals. Names are judged word by word, values by their look; only an operator's explicit
 * name lets one through.
 */

/** A name with one of these words is taken for a credential. */
const SECRET_WORDS = new Set([
  "KEY",
  "KEYS",
  "APIKEY",
  "TOKEN",
  "TOKENS",
  "SECRET",
  "SECRETS",
  "PASSWORD",
  "PASSWD",
  "PASSPHRASE",
  "PASS",
  "PWD",
  "CREDENTIAL",
  "CREDENTIALS",
  "COOKIE",
  "JWT",
  "BEARER",
  "PAT",
  "DSN",
]);
/** Endings of words written without a separator: `GITHUBTOKEN`, `dbPassword`. */
const SECRET_ENDING = /(?:APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/;
/** Names that look like credentials and are none. */
const HARMLESS = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK", "GPG_TTY", "XDG_SESSION_COOKIE"]);
/** Whole families: hermes' own settings, and model or messaging services with their endpoints. */
const PRIVATE_FAMILY = new RegExp(
  "^(?:_?HERMES|AUXILIARY|GATEWAY|OPENAI|ANTHROPIC|OPENROUTER|NOUS|GEMINI|DEEPSEEK|MISTRAL|GROQ|XAI|" +
    "TOGETHER|FIREWORKS|COHERE|MODAL|DAYTONA|VERCEL|TELEGRAM|DISCORD|SLACK|SIGNAL|WHATSAPP|HASS|EMAIL)_",
);
const SECRET_VALUES: readonly RegExp[] = [
  /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i, // a URL with a password
  /^(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}$/,
  /^(?:gh[pousr]_|github_pat_|glpat-|xox[abpsr]-|hf_|npm_|AKIA|ASIA|AIza|ya29\.)[A-Za-z0-9_.-]{10,}$/,
  /^eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\./, // a JSON web token
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];
const SYSTEM_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** True when a variable must not reach a command. */
export function isPrivateVariable(name: string, value: string): boolean {
  if (HARMLESS.has(name)) return false;
  const upper = name.toUpperCase();
  if (PRIVATE_FAMILY.test(upper)) return true;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase().split(/[^A-Z0-9]+/);
  if (words.some((word) => SECRET_WORDS.has(word)) || SECRET_ENDING.test(upper)) return true;
  return SECRET_VALUES.some((pattern) => pattern.test(value.trim()));
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
