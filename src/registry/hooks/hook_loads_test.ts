/** What a hook's script loads without spelling it out: each change must be noticed before a run. */
import assert from "node:assert/strict";
import { differenceOf } from "./hook_files.ts";
import { spawnHook } from "./hook_process.ts";
import { surveyProgram } from "./hook_program.ts";

class Place implements AsyncDisposable {
  readonly dir: string;
  constructor(dir: string) {
    this.dir = dir;
  }

  static async create(files: Readonly<Record<string, string>>): Promise<Place> {
    const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-test-" }));
    const place = new Place(dir);
    const all = { "bin/node": "#!/bin/sh\n", "bin/ruby": "#!/bin/sh\n", "work/x": "", ...files };
    for (const [path, text] of Object.entries(all)) await place.write(path, text);
    return place;
  }

  get env(): Record<string, string> {
    return { PATH: `${this.dir}/bin:/usr/bin:/bin`, HOME: this.dir };
  }

  get cwd(): string {
    return `${this.dir}/work`;
  }

  async write(path: string, text: string): Promise<void> {
    const file = `${this.dir}/${path}`;
    await Deno.mkdir(file.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(file, text, { mode: path.startsWith("bin/") ? 0o755 : 0o644 });
  }

  async survey(command: string) {
    const program = await surveyProgram(command.split(" "), this);
    assert.ok(program, `${command} runs nothing`);
    return program;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.dir, { recursive: true });
  }
}

interface Load {
  command: string;
  /** Text of the script, by its path below the home. */
  script: [path: string, text: string];
  /** What it loads. */
  loads: string;
}

const LOADS: Record<string, Load> = {
  "a file in a folder that a variable of the script names": {
    command: "bash ../hooks/guard.sh",
    script: ["hooks/guard.sh", 'LIB="$HOME/elsewhere"\n. "$LIB/common.sh"\n'],
    loads: "elsewhere/common.sh",
  },
  "the same through another variable, one of two values": {
    command: "bash ../hooks/guard.sh",
    script: ["hooks/guard.sh", "A=$HOME\nB=/nowhere\nB=${A}/other\nsource $B/rules\n"],
    loads: "other/rules",
  },
  "a file whose folder is computed": {
    command: "bash ../hooks/guard.sh",
    script: ["hooks/guard.sh", 'D="$(cd "$(dirname "$0")/lib" && pwd)"\n. "$D/common"\n'],
    loads: "hooks/lib/common",
  },
  "a file sourced after cd": {
    command: "bash ../hooks/guard.sh",
    script: ["hooks/guard.sh", 'cd "$(dirname "$0")/lib"\nsource rules\n'],
    loads: "hooks/lib/rules",
  },
  "a module named without its end": {
    command: "node ../hooks/guard.js",
    script: ["hooks/guard.js", 'const rules = require("./rules");\n'],
    loads: "hooks/rules.js",
  },
  "the same in the project's own folder": {
    command: "node guard.js",
    script: ["work/guard.js", "const rules = require('./rules');\n"],
    loads: "work/rules.cjs",
  },
  "a folder's main module": {
    command: "node guard.mjs",
    script: ["work/guard.mjs", 'import rules from "./rules";\n'],
    loads: "work/rules/index.js",
  },
  "a module whose name is computed": {
    command: "node ../hooks/guard.mjs",
    script: ["hooks/guard.mjs", 'await import("./rules/" + name);\n'],
    loads: "hooks/rules/deep/one.mjs",
  },
  "a relative module of Ruby": {
    command: "ruby guard.rb",
    script: ["work/guard.rb", 'require_relative "rules"\n'],
    loads: "work/rules",
  },
  "a library folder of Perl": {
    command: "perl ../hooks/guard.pl",
    script: ["hooks/guard.pl", 'use lib "$ENV{HOME}/hooks/lib";\nuse Rules;\n'],
    loads: "hooks/lib/Rules.pm",
  },
  "text that is executed": {
    command: "python3 ../hooks/guard.py",
    script: ["hooks/guard.py", 'exec(open("../elsewhere/rules").read())\n'],
    loads: "elsewhere/rules",
  },
  "a makefile that another includes": {
    command: "make -s guard",
    script: ["work/Makefile", "-include rules.mk\nguard:\n\t@true\n"],
    loads: "work/rules.mk",
  },
};

Deno.test("surveyProgram() covers what a script loads without spelling it out", async (t) => {
  for (const [name, { command, script: [path, text], loads }] of Object.entries(LOADS)) {
    await t.step(name, async () => {
      await using place = await Place.create({ [path]: text });
      const without = await place.survey(command);
      await place.write(loads, "# first\n");
      const first = await place.survey(command);
      assert.match(differenceOf(without.files, first.files) ?? "", /would also run/);
      await place.write(loads, "# other\n");
      const other = await place.survey(command);
      assert.equal(differenceOf(first.files, other.files), `${place.dir}/${loads} has changed`);
    });
  }
});

Deno.test("surveyProgram() covers files that Python loads in the place of its own library", async (t) => {
  const cases: Record<string, { command: string; files: Record<string, string>; plants: string }> =
    {
      "beside the text of -c": {
        command: "python3 -c import·json",
        files: {},
        plants: "work/re.py",
      },
      "beside a module of -m, as a package": {
        command: "python3 -m guard",
        files: { "work/guard.py": "import json\n" },
        plants: "work/codecs/__init__.py",
      },
      "beside a script that runs in its place": {
        command: "python3 guard.py",
        files: { "work/guard.py": "import json, os\nprint(os.path.dirname(__file__))\n" },
        plants: "work/enum.py",
      },
    };
  for (const [name, { command, files, plants }] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using place = await Place.create(files);
      const words = command.split(" ").map((word) => word.replace("·", " "));
      const before = (await surveyProgram(words, place))!;
      await place.write("work/mine.py", "");
      const same = (await surveyProgram(words, place))!;
      assert.equal(differenceOf(before.files, same.files), undefined);
      await place.write(plants, "");
      const after = (await surveyProgram(words, place))!;
      assert.equal(
        differenceOf(before.files, after.files),
        `it would also run ${place.dir}/${plants}`,
      );
    });
  }
});

Deno.test("surveyProgram() takes the project, the home and the PATH for nobody's own folder", async () => {
  await using place = await Place.create({
    "work/guard.sh": 'echo "$0"\n',
    "guard.sh": 'echo "$0"\n',
    "bin/guard": '#!/bin/sh\necho "$0"\n',
  });
  for (const command of ["bash guard.sh", "bash ../guard.sh", "guard"]) {
    const before = await place.survey(command);
    for (const file of ["work/other.sh", "other.sh", "bin/other"]) await place.write(file, command);
    const after = await place.survey(command);
    assert.equal(differenceOf(before.files, after.files), undefined, command);
  }
});

Deno.test("surveyProgram() still makes a copy of a script that needs nothing beside it", async () => {
  await using place = await Place.create({
    "hooks/guard.sh": 'NAME="x y"\necho "$NAME" > /dev/null\nexit 0\n',
    "hooks/other.sh": "exit 1\n",
  });
  const { movable, files } = await place.survey("bash ../hooks/guard.sh");
  assert.equal(movable?.name, "guard.sh");
  assert.ok(!files.some(({ path }) => path.endsWith("other.sh")));
});

Deno.test("spawnHook() lets no compiled file stand in for a module of Python", async () => {
  await using place = await Place.create({
    "hooks/guard.py": "import rules\nprint(rules.NAME)\n",
    "hooks/rules.py": "NAME = 'good'\n",
  });
  const run = (...args: string[]) =>
    spawnHook({
      argv: ["/usr/bin/env", "python3", ...args],
      stdin: "",
      env: place.env,
      cwd: place.cwd,
      signal: AbortSignal.timeout(20_000),
    });
  const forge = `import importlib.util as u, os, py_compile, struct
open("evil.py", "w").write("NAME = 'evil'\\n")
end = py_compile.compile("evil.py", cfile="evil.pyc")
data = bytearray(open("evil.pyc", "rb").read())
known = os.stat("../hooks/rules.py")
data[8:16] = struct.pack("<II", int(known.st_mtime), known.st_size)
import sys; sys.pycache_prefix = None
target = u.cache_from_source("../hooks/rules.py")
os.makedirs(os.path.dirname(target), exist_ok=True)
open(target, "wb").write(data)
print(target)
`;
  const forged = await run("-c", forge);
  if (forged.code !== 0) return console.log(`not run: python3 is missing (${forged.stderr})`);
  assert.match(forged.stdout, /hooks\/__pycache__\/rules/);
  assert.equal((await run("../hooks/guard.py")).stdout.trim(), "good");
});
