/** `hermes config set|unset|edit|check`: changes `config.yaml` and `.env`. Loads the YAML libraries. */
import { checkConfigText, formatProblem } from "../../../config/check.ts";
import { DEFAULTS } from "../../../config/defaults_data.ts";
import { editConfig, editVariable, parseSetting } from "../../../config/edit.ts";
import { type Home, requireProfile } from "../../../config/home.ts";
import { loadSettings, readOptional } from "../../../config/load.ts";
import { HIDDEN, isSecretPath, isVariableName } from "../../../config/secrets.ts";
import { getPath } from "../../../config/tree.ts";
import { personalEnvironment } from "../../../process/child_environment.ts";
import { spawnChild } from "../../../process/spawn.ts";
import { EXIT, HermesError } from "../../../protocol/error.ts";
import { writeFileAtomic } from "../../../util/atomic_write.ts";
import type { CommandInput } from "../../command.ts";
import { err, out, readStdinText } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { homeOf } from "../../settings.ts";
import { pluginSetting } from "./plugin_setting.ts";
import { reviewSettings } from "./review.ts";

export async function main(input: CommandInput): Promise<number> {
  const home = homeOf(input);
  const [key = "", value = ""] = input.args;
  switch (input.path[1]) {
    case "set":
      return await set(home, key, value);
    case "unset":
      return await unset(home, key);
    case "edit":
      return await edit(home);
    default:
      return await check(home);
  }
}

async function set(home: Home, key: string, typed: string): Promise<number> {
  const text = typed === "-" ? (await readStdinText()).replace(/\r?\n$/, "") : typed;
  if (isVariableName(key)) {
    const file = await editVariable(home, { name: key, value: text });
    out(`${key} = ${HIDDEN}  (${file})\n`);
    return EXIT.done;
  }
  const { value } = await pluginSetting(home, { key, text }) ?? { value: parseSetting(key, text) };
  const { file, key: path, after } = await editConfig(home, { key, change: () => value });
  const shown = isSecretPath(path) ? HIDDEN : JSON.stringify(after);
  out(`${path} = ${shown}  (${file})\n`);
  return EXIT.done;
}

async function unset(home: Home, key: string): Promise<number> {
  if (isVariableName(key)) {
    const file = await editVariable(home, { name: key, value: undefined });
    out(`${key} is no longer in ${file}\n`);
    return EXIT.done;
  }
  const { file, key: path, before } = await editConfig(home, { key, change: () => undefined });
  if (before === undefined) {
    err(`hermes: ${path} is not in ${file}; nothing changed\n`);
    return EXIT.done;
  }
  const standard = getPath(DEFAULTS, path);
  const now = standard === undefined ? "" : `; the default is ${JSON.stringify(standard)}`;
  out(`${path} is no longer in ${file}${now}\n`);
  return EXIT.done;
}

const TEMPLATE = `# Settings of hermes. Every key: hermes config list --all
# Secrets belong beside this file: hermes config set OPENROUTER_API_KEY -
`;

async function edit(home: Home): Promise<number> {
  await requireProfile(home);
  const file = home.path("config.yaml");
  if (readOptional(file) === undefined) await writeFileAtomic(file, TEMPLATE);
  const env = ownEnvironment();
  const editor = env.VISUAL || env.EDITOR || "vi";
  // By its path and in the home: neither a PATH with "." in it nor the settings that an editor
  // looks for where it starts may come from whatever directory the person stands in.
  const { code } = await spawnChild({
    argv: ["/bin/sh", "-c", `${editor} "$1"`, "sh", file],
    env: personalEnvironment(env),
    cwd: home.dir,
    group: "terminal",
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  }).status;
  if (code !== 0) {
    throw new HermesError(`the editor "${editor}" ended with code ${code}`, {
      hint: "Choose another one with the EDITOR variable.",
    });
  }
  return await check(home);
}

/** Names everything wrong with the file. */
async function check(home: Home): Promise<number> {
  await requireProfile(home);
  const file = home.path("config.yaml");
  const text = readOptional(file);
  if (text === undefined) {
    out(`${file} does not exist; every setting is at its default\n`);
    return EXIT.done;
  }
  const { problems, warnings } = await checkConfigText(text);
  // What a broken file names cannot be looked for.
  if (problems.length === 0) {
    const review = await reviewSettings(await loadSettings({ home, env: ownEnvironment() }));
    const found = [...review.problems, ...review.warnings];
    if (found.length > 0) (await import("../../../config/locate.ts")).locate(text, found);
    problems.push(...review.problems);
    warnings.push(...review.warnings);
  }
  for (const problem of problems) out(`${formatProblem(file, problem)}\n  ${problem.fix}\n`);
  for (const warning of warnings) out(`${formatProblem(file, warning)}\n  ${warning.fix}\n`);
  if (problems.length === 0 && warnings.length === 0) out(`${file} is fine\n`);
  return problems.length === 0 ? EXIT.done : EXIT.usage;
}
