/** The command table is sound, and help shows all of it. */
import assert from "node:assert/strict";
import type { CommandSpec } from "../../src/cli/command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "../../src/cli/commands_data.ts";
import { renderCommand, renderOverview } from "../../src/cli/help_text.ts";
import { VERSION } from "../../src/util/version.ts";
import { runHermes, tempHome } from "../support/hermes.ts";

function* everyCommand(
  commands: readonly CommandSpec[],
  above: string[] = [],
): Generator<{ spec: CommandSpec; path: string[] }> {
  for (const spec of commands) {
    const path = [...above, spec.name];
    yield { spec, path };
    yield* everyCommand(spec.subcommands ?? [], path);
  }
}

Deno.test("COMMANDS name every flag and command once and leave the global flags alone", () => {
  for (const { spec, path } of everyCommand(COMMANDS)) {
    const flags = [...GLOBAL_FLAGS, ...spec.flags ?? []];
    const names = flags.map((flag) => flag.name);
    const shorts = flags.flatMap((flag) => flag.short ?? []);
    const at = path.join(" ");
    assert.equal(new Set(names).size, names.length, `a flag of "${at}" is named twice`);
    assert.equal(new Set(shorts).size, shorts.length, `a short flag of "${at}" is taken`);
    assert.ok(spec.summary.length > 0 && !spec.summary.endsWith("."), at);
    for (const flag of flags) assert.ok(flag.help.length > 0, `${at} --${flag.name}`);
    const subcommands = (spec.subcommands ?? []).map((sub) => sub.name);
    assert.equal(new Set(subcommands).size, subcommands.length, at);
  }
});

Deno.test("COMMANDS load a module with main() for everything that does something", async () => {
  for (const { spec, path } of everyCommand(COMMANDS)) {
    assert.ok(spec.load !== undefined || spec.subcommands !== undefined, path.join(" "));
    if (spec.load !== undefined) assert.equal(typeof (await spec.load()).main, "function");
  }
});

Deno.test("renderOverview() and renderCommand() show every visible command and flag", () => {
  const overview = renderOverview(COMMANDS, { globals: GLOBAL_FLAGS, columns: Infinity });
  for (const { spec, path } of everyCommand(COMMANDS)) {
    if (spec.hidden) continue;
    if (path.length === 1) assert.match(overview, new RegExp(`^  ${spec.name} `, "m"));
    const help = renderCommand(spec, { path, globals: GLOBAL_FLAGS, columns: Infinity });
    assert.match(help, new RegExp(`^Usage: hermes ${path.join(" ")}`, "m"));
    for (const flag of spec.flags ?? []) {
      assert.equal(help.includes(`--${flag.name}`), !flag.hidden, `${path.join(" ")} ${flag.name}`);
    }
  }
});

Deno.test("hermes help, --help and -h show the same text", async () => {
  await using home = await tempHome();
  const run = (...args: string[]) => runHermes({ home: home.path, args });
  const [byCommand, byFlag, byShort, besideNonsense] = await Promise.all([
    run("help", "config", "set"),
    run("config", "set", "--help"),
    run("-h", "config", "set"),
    run("config", "set", "--no-such-flag", "--help"),
  ]);
  assert.match(byCommand.stdout, /^Usage: hermes config set KEY VALUE$/m);
  for (const other of [byFlag, byShort, besideNonsense]) assert.deepEqual(other, byCommand);
  assert.equal(byCommand.code, 0);
});

Deno.test("hermes --version prints the version in every spelling", async () => {
  await using home = await tempHome();
  const run = (...args: string[]) => runHermes({ home: home.path, args });
  for (const args of [["--version"], ["-V"], ["config", "--version"]]) {
    assert.deepEqual(await run(...args), { code: 0, stdout: `hermes ${VERSION}\n`, stderr: "" });
  }
  assert.equal(JSON.parse((await run("version", "--json")).stdout).hermes, VERSION);
});

Deno.test("renderOverview() and renderCommand() keep to the width of a terminal", () => {
  for (const columns of [40, 80]) {
    const layout = { globals: GLOBAL_FLAGS, columns };
    const texts = [renderOverview(COMMANDS, layout)];
    for (const { spec, path } of everyCommand(COMMANDS)) {
      // Examples are there to be copied.
      const { examples: _, ...rest } = spec;
      texts.push(renderCommand(rest, { path, ...layout }));
    }
    for (const line of texts.join("").split("\n")) {
      assert.ok(line.length <= columns, `${line.length} of ${columns} columns: ${line}`);
    }
  }
});

Deno.test("hermes understands other spellings of commands as the commands", async () => {
  await using home = await tempHome();
  const plugins = await runHermes({ home: home.path, args: ["plugins", "list"] });
  const plugin = await runHermes({ home: home.path, args: ["plugin", "list"] });
  assert.deepEqual(plugin, plugins);
  const uninstall = await runHermes({
    home: home.path,
    args: ["plugin", "uninstall", "nope", "--yes"],
  });
  const remove = await runHermes({
    home: home.path,
    args: ["plugins", "remove", "nope", "--yes"],
  });
  assert.deepEqual(uninstall, remove);
  const help = await runHermes({ home: home.path, args: ["help", "plugin", "uninstall"] });
  assert.match(help.stdout, /Usage: hermes plugins remove .*\n\nAlso understood: uninstall\n/);
});
