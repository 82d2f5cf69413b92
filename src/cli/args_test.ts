import assert from "node:assert/strict";
import { UsageError } from "../protocol/error.ts";
import { commandPathOf, type Grammar, ownWords, parseCommandLine } from "./args.ts";
import type { CommandSpec } from "./command.ts";

const chat: CommandSpec = {
  name: "chat",
  summary: "",
  flags: [{ name: "model", short: "m", type: "string", help: "" }],
};
const grammar: Grammar = {
  commands: [
    chat,
    {
      name: "run",
      summary: "",
      args: "[PROMPT...]",
      flags: [
        { name: "model", short: "m", type: "string", help: "" },
        { name: "max-turns", type: "number", help: "" },
        { name: "toolsets", short: "t", type: "list", help: "" },
        { name: "approve", type: "string", choices: ["never", "ask"], help: "" },
        { name: "quiet", short: "q", type: "boolean", help: "" },
      ],
    },
    {
      name: "sessions",
      summary: "",
      subcommands: [
        { name: "list", summary: "" },
        { name: "rename", summary: "", args: "ID TITLE..." },
      ],
    },
    {
      name: "box",
      summary: "",
      args: "CMD [ARG...]",
      takesProgram: true,
      flags: [{ name: "network", type: "string", help: "" }],
    },
    { name: "secret", summary: "", hidden: true },
  ],
  globals: [
    { name: "profile", short: "p", type: "string", help: "" },
    { name: "verbose", type: "boolean", help: "" },
  ],
  defaultCommand: chat,
};

function parse(...argv: string[]) {
  const { path, args, flags } = parseCommandLine(argv, grammar);
  return { path, args, flags };
}

function complaint(...argv: string[]): string {
  try {
    parse(...argv);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return `${error.message} | ${error.hint}`;
  }
  throw new Error("nothing was wrong");
}

Deno.test("parseCommandLine() reads long, short, bundled and negated flags in any order", () => {
  assert.deepEqual(parse("run", "--model=x", "-qp", "work", "do it", "--max-turns", "3"), {
    path: ["run"],
    args: ["do it"],
    flags: { model: "x", quiet: true, profile: "work", "max-turns": 3 },
  });
  assert.deepEqual(parse("run", "-mx", "-tq", "--no-quiet").flags, {
    model: "x",
    toolsets: ["q"],
    quiet: false,
  });
});

Deno.test("parseCommandLine() collects lists from repeats and commas", () => {
  assert.deepEqual(parse("run", "-t", "a,b", "--toolsets= c ,", "-t", "d").flags, {
    toolsets: ["a", "b", "c", "d"],
  });
});

Deno.test("parseCommandLine() refuses an empty value", () => {
  for (const argv of [["-m", ""], ["--model="], ["-t", ""], ["--toolsets", " , "]]) {
    assert.throws(() => parse("run", ...argv, "x"), { message: /^--?\w+ needs a value/ });
  }
});

Deno.test("parseCommandLine() keeps everything after -- as arguments", () => {
  assert.deepEqual(parse("run", "--", "-q", "--model"), {
    path: ["run"],
    args: ["-q", "--model"],
    flags: {},
  });
});

Deno.test("parseCommandLine() takes - and negative numbers as values", () => {
  assert.deepEqual(parse("run", "-", "--max-turns", "-1"), {
    path: ["run"],
    args: ["-"],
    flags: { "max-turns": -1 },
  });
});

Deno.test("parseCommandLine() uses the default command when none is named", () => {
  assert.deepEqual(parse("-m", "x", "-p", "w"), {
    path: [],
    args: [],
    flags: { model: "x", profile: "w" },
  });
});

Deno.test("parseCommandLine() accepts a command's flags before its name", () => {
  assert.deepEqual(parse("-p", "w", "--model", "x", "run", "hi"), {
    path: ["run"],
    args: ["hi"],
    flags: { profile: "w", model: "x" },
  });
  assert.match(complaint("--model", "x", "sessions", "list"), /unknown flag "--model"/);
});

Deno.test("parseCommandLine() descends into subcommands", () => {
  assert.deepEqual(parse("sessions", "rename", "7", "a", "b").args, ["7", "a", "b"]);
});

Deno.test("parseCommandLine() names the nearest right word", () => {
  assert.match(complaint("rnu"), /unknown command "rnu". Did you mean "run"\?/);
  assert.match(
    complaint("run", "--modle", "x"),
    /"--modle" for "hermes run". Did you mean "--model"/,
  );
  assert.match(complaint("sessions", "lst"), /"lst" of "hermes sessions". Did you mean "list"/);
  assert.match(
    complaint("run", "--approve", "aks"),
    /Did you mean "ask"\? \| Choose one of: never, ask/,
  );
});

Deno.test("parseCommandLine() never suggests or lists hidden commands", () => {
  assert.doesNotMatch(complaint("secre"), /secret"/);
});

Deno.test("parseCommandLine() refuses missing, wrong and superfluous values", () => {
  assert.match(complaint("run", "--model"), /--model needs a value/);
  assert.match(complaint("run", "--model", "--quiet"), /--model needs a value/);
  assert.match(complaint("run", "--max-turns", "many"), /needs a number, not "many"/);
  assert.match(complaint("run", "--max-turns="), /needs a number, not ""/);
  assert.match(complaint("run", "--quiet=perhaps"), /neither "true" nor "false"/);
  assert.match(complaint("sessions", "rename", "7"), /needs TITLE/);
  assert.match(complaint("sessions", "list", "x"), /takes no arguments, but got "x"/);
});

Deno.test("parseCommandLine() treats a prompt without a command as an unknown command", () => {
  assert.match(complaint("fix the bug"), /unknown command "fix the bug".*hermes run/);
});

Deno.test("commandPathOf() finds the command whatever else is wrong", () => {
  const found = commandPathOf(["--bogus", "sessions", "list", "extra"], grammar.commands);
  assert.deepEqual(found.path, ["sessions", "list"]);
  assert.equal(found.spec?.name, "list");
});

Deno.test("parseCommandLine() leaves a program everything that follows its name", () => {
  const words = ["ls", "-la", "--network", "x", "--", "--verbose"];
  for (
    const argv of [["box", "--network", "off", ...words], ["box", "--network=off", "--", ...words]]
  ) {
    const { args, flags } = parseCommandLine(argv, grammar);
    assert.deepEqual([args, flags], [words, { network: "off" }]);
  }
  assert.throws(() => parseCommandLine(["box", "-la", "ls"], grammar), UsageError);
  assert.throws(() => parseCommandLine(["box", "--network", "off"], grammar), /needs CMD/);
});

Deno.test("ownWords() ends at --, and at the program of a command that takes one", () => {
  const own = (...argv: string[]) => ownWords(argv, grammar).join(" ");
  assert.equal(own("box", "--network", "off", "ls", "-h"), "box --network off");
  assert.equal(own("box", "-h", "ls"), "box -h ls");
  assert.equal(own("box", "--verbose", "ls", "-h"), "box --verbose");
  assert.equal(own("run", "do it", "-q", "--", "-h"), "run do it -q");
  assert.equal(own("run", "--bogus", "-h"), "run --bogus -h");
});
