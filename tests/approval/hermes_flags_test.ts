/**
 * What the gate believes of hermes' own command line is what hermes' parser makes of it: no order
 * of words, no flag and no variable lets a command of a session change what hermes trusts.
 */
import assert from "node:assert/strict";
import { decide } from "../../src/approval/decide.ts";
import { changesHermes } from "../../src/approval/rules/hermes_self.ts";
import {
  AGENT_LETTERS,
  AGENT_SWITCHES,
  AGENT_VALUES,
} from "../../src/approval/rules/hermes_self_data.ts";
import { parseCommandLine } from "../../src/cli/args.ts";
import { COMMANDS, DEFAULT_COMMAND, GLOBAL_FLAGS } from "../../src/cli/commands_data.ts";
import { RUN_FLAGS } from "../../src/cli/run_flags_data.ts";
import { withJob } from "../support/run_job.ts";

const CHANGES = [
  // Later words take back what earlier ones said.
  "config set approvals.mode off --version --no-version",
  "config set hooks_auto_accept true -V --version=false",
  "plugins enable evil --no-version --version=false",
  "update --check --rollback",
  "update --check --no-check --from http://127.0.0.1:8000/releases",
  "update --check=false",
  // What is behind `--` is no flag.
  "plugins enable evil -- -h",
  "hooks approve -- --help",
  "run --yolo -- -h",
  // A value in front of the name, and one in front of the subcommand.
  "--system help run --yolo x",
  "-C version run --approve always x",
  "--provider list model gpt",
  "plugins --verbose enable evil",
  "plugins -p list enable evil",
  "sessions --limit 5 delete latest --yes",
  "model --provider=evil",
  // Files that an agent writes or plays, places it goes to.
  "run -o /home/me/.hermes/config.yaml x",
  "run -qo /home/me/.bashrc x",
  "run -o=/home/me/.bashrc x",
  "run --output-last-message=/home/me/.bashrc x",
  "run --record /home/me/.hermes/config.yaml x",
  "run --replay evil.jsonl x",
  "run --env local x",
  "run -qp other x",
  "run --base-url=http://127.0.0.1:9/v1 x",
  "run --no-yolo --yolo x",
  "run $FLAGS x",
];

const LOOKS = [
  "--version",
  "-V",
  "run --help",
  "config set --help approvals.mode off",
  "-p work sessions list",
  "--verbose doctor --json",
  "sessions --json",
  "sessions -n 5",
  "sessions search --limit 3 -- -x",
  "plugins list --json",
  'run "what is -o for?"',
  "run --json -q --max-turns 3 -m gpt -t file 'list the files'",
  "run -qm gpt x",
  "run -t file -- --output",
  "run --approve=never -C sub x",
];

Deno.test("decide() reads hermes' command line as hermes does", () => {
  for (const words of CHANGES) {
    for (const hermes of ["hermes", "/usr/bin/hermes", "deno run -A /opt/hermes"]) {
      const { decision } = decide(`${hermes} ${words}`, { cwd: "/home/me/work", home: "/home/me" });
      assert.notEqual(decision, "allow", `${hermes} ${words}`);
    }
  }
  for (const words of LOOKS) {
    const { decision } = decide(`hermes ${words}`, { cwd: "/home/me/work", home: "/home/me" });
    assert.equal(decision, "allow", words);
  }
  for (const flags of [["--check"], ["--check", "--json"]]) {
    assert.equal(changesHermes(["update", ...flags]), false);
  }
});

Deno.test("decide() asks before an agent starts with another home, address or certificate", () => {
  const asked = [
    "HOME=/home/me/work/x hermes run x",
    "env HOME=x hermes run x",
    "HOME=x; hermes run x",
    "export HOME=x && hermes chat",
    "OPENAI_BASE_URL=http://127.0.0.1:9 hermes run x",
    "export ANTHROPIC_BASE_URL=http://127.0.0.1:9; hermes run x",
    "https_proxy=http://127.0.0.1:9 hermes run x",
    "SSL_CERT_FILE=ca.pem hermes run x",
    "HOME=x hermes -c",
  ];
  const policy = { cwd: "/home/me/work", home: "/home/me" };
  for (const command of asked) assert.notEqual(decide(command, policy).decision, "allow", command);
  const later = { ...policy, variables: new Map([["HOME", ["/home/me/work/x"]]]) };
  assert.notEqual(decide("hermes run x", later).decision, "allow");
  for (const command of ["NO_COLOR=1 hermes run x", "i=1; hermes run x", "LC_ALL=C hermes run x"]) {
    assert.equal(decide(command, policy).decision, "allow", command);
  }
});

Deno.test("the flags that leave an agent's rules alone are flags of that kind", () => {
  const flags = [...RUN_FLAGS, ...GLOBAL_FLAGS];
  const kind = (name: string) => flags.find((flag) => flag.name === name)?.type;
  for (const name of AGENT_VALUES) assert.ok(!["boolean", undefined].includes(kind(name)), name);
  for (const name of AGENT_SWITCHES) assert.equal(kind(name), "boolean", name);
  for (const letter of AGENT_LETTERS) {
    const flag = flags.find(({ short }) => short === letter);
    assert.ok(flag !== undefined && AGENT_VALUES.has(flag.name), letter);
  }
});

const TAME = new Set([...AGENT_VALUES, ...AGENT_SWITCHES, "approve"]);
const LOOKING =
  /^(?:help|version|doctor|schema|completion)\b|^(?:sessions|config|tools|env|hooks|plugins|approvals)(?: list)?$|^model$|^(?:sessions (?:show|search|stats)|config (?:get|path|check)|tools info|approvals (?:check|rules|list)|plugins (?:info|audit))$/;

/** Whether hermes would only look, as its own parser sees it; undefined when it refuses the words. */
function reallyLooks(argv: string[]): boolean | undefined {
  const end = argv.indexOf("--");
  const own = end < 0 ? argv : argv.slice(0, end);
  if (own.includes("-h") || own.includes("--help")) return true;
  const defaultCommand = COMMANDS.find(({ name }) => name === DEFAULT_COMMAND)!;
  try {
    const { path, args, flags } = parseCommandLine(argv, {
      commands: COMMANDS,
      globals: GLOBAL_FLAGS,
      defaultCommand,
    });
    if (flags.version === true) return true;
    const command = path.join(" ");
    if (["", "run", "chat"].includes(command)) {
      return Object.keys(flags).every((name) => TAME.has(name) || name === "version") &&
        [undefined, "never", "ask"].includes(flags.approve as string | undefined);
    }
    if (command === "update") return flags.check === true && flags.rollback !== true;
    if (command === "model") return args.length === 0 && flags.provider === undefined;
    return LOOKING.test(command);
  } catch {
    // Refused: nothing happens.
    return undefined;
  }
}

Deno.test("changesHermes() never takes for a look what hermes' parser takes for a change", () => {
  const words = [
    ...["--", "-h", "--version", "-V", "--no-version", "--version=false", "-p", "--profile=x"],
    ...[
      "--verbose",
      "--json",
      "--check",
      "--no-check",
      "--rollback",
      "--yes",
      "-y",
      "--limit",
      "5",
    ],
    ...[
      "-o",
      "-qo",
      "-oX",
      "-q",
      "-c",
      "-m",
      "-C",
      "-t",
      "--system",
      "--approve",
      "always",
      "never",
    ],
    ...["--approve=always", "--yolo", "--replay", "--from", "--to", "--provider", "--enable"],
    ...COMMANDS.flatMap(({ name, subcommands = [] }) => [name, ...subcommands.map((s) => s.name)]),
  ];
  let seed = 12;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(seed / 2 ** 31 * below);
  };
  let looks = 0;
  for (let round = 0; round < 40_000; round++) {
    const argv = Array.from({ length: 1 + random(6) }, () => words[random(words.length)]!);
    if (changesHermes(argv)) continue;
    assert.notEqual(reallyLooks(argv), false, `hermes ${argv.join(" ")}`);
    looks++;
  }
  assert.ok(looks > 1_000, `only ${looks} looks`);
});

Deno.test("hermes inside a session neither writes its home through a flag nor takes a word back", async () => {
  await withJob([], async (job) => {
    const env = { HERMES_EXEC: "marker" };
    const config = `${job.home}/.hermes/config.yaml`;
    const tried = [
      ["run", "-q", "-o", config, "--replay", "evil.jsonl", "x"],
      ["config", "set", "approvals.headless", "always", "--version", "--no-version"],
      ["update", "--check", "--rollback"],
    ];
    for (const args of tried) {
      const { code, stderr } = await job.hermes(args, { env });
      assert.equal(code, 1, stderr);
      assert.match(stderr, /may not change hermes/);
    }
    await assert.rejects(Deno.stat(config), Deno.errors.NotFound);
  });
});
