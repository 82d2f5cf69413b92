import assert from "node:assert/strict";
import { Seal } from "../../util/seal.ts";
import { HookConsents } from "./hook_consent.ts";
import { privateArgv } from "./hook_copy.ts";
import { findFile, stampOf } from "./hook_files.ts";
import { spawnHook } from "./hook_process.ts";
import { surveyProgram } from "./hook_program.ts";
import { consentTo, parseShellHooks, type ShellHook } from "./shell_hooks.ts";

/** A home with a project in it and a folder of programs that comes first on the PATH. */
class Place implements AsyncDisposable {
  readonly dir: string;
  consents!: HookConsents;

  constructor(dir: string) {
    this.dir = dir;
  }

  static async create(): Promise<Place> {
    const place = new Place(
      await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-test-" })),
    );
    for (const name of ["bin", "project"]) await Deno.mkdir(`${place.dir}/${name}`);
    const seal = new Seal(`${place.dir}/seal.key`);
    place.consents = await HookConsents.read(`${place.dir}/consents.json`, seal);
    return place;
  }

  get env(): Record<string, string> {
    return { PATH: `${this.dir}/bin:/usr/bin:/bin`, HOME: this.dir };
  }

  get cwd(): string {
    return `${this.dir}/project`;
  }

  async write(path: string, text: string, mode = 0o644): Promise<void> {
    await Deno.mkdir(`${this.dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${this.dir}/${path}`, text, { mode });
  }

  hook(command: string): ShellHook {
    return parseShellHooks({ "pre_tool_call": [{ command }] }).hooks[0]!;
  }

  async objection(command: string): Promise<string | undefined> {
    return (await consentTo(this.hook(command), this)).objection;
  }

  async approve(command: string): Promise<void> {
    const { program } = await consentTo(this.hook(command), this);
    assert.ok(program, `${command} runs nothing`);
    await this.consents.approve(this.hook(command), program.files);
    assert.equal(await this.objection(command), undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.dir, { recursive: true });
  }
}

interface Case {
  command: string;
  /** Files below the home; those in `bin` can be executed. */
  files: Record<string, string>;
  change(place: Place): Promise<unknown>;
  says: RegExp;
}

const FAKE = "#!/bin/sh\n";
function append(path: string): (place: Place) => Promise<void> {
  return (place) => Deno.writeTextFile(`${place.dir}/${path}`, "# more\n", { append: true });
}

const CHANGES: Record<string, Case> = {
  "a script of its own": {
    command: "~/bin/hook",
    files: { "bin/hook": "#!/bin/sh\nexit 0\n" },
    change: append("bin/hook"),
    says: /bin\/hook has changed/,
  },
  "a script that a shell is given, without a telling name": {
    command: "sh -eu ../hooks/guard strict",
    files: { "hooks/guard": "exit 0\n" },
    change: append("hooks/guard"),
    says: /hooks\/guard has changed/,
  },
  "a script behind an interpreter's options": {
    command: "python3 -u ../hooks/x.py",
    files: { "bin/python3": FAKE, "hooks/x.py": "pass\n" },
    change: append("hooks/x.py"),
    says: /x\.py has changed/,
  },
  "a script behind wrappers and variables": {
    command: "env -i MODE=strict timeout 5 sh ../hooks/guard",
    files: { "hooks/guard": "exit 0\n" },
    change: append("hooks/guard"),
    says: /hooks\/guard has changed/,
  },
  "a module that a script imports": {
    command: "node ../hooks/x.mjs",
    files: {
      "bin/node": FAKE,
      "hooks/x.mjs": 'import { y } from "./lib/y.mjs";\n',
      "hooks/lib/y.mjs": "export const y = 1;\n",
    },
    change: append("hooks/lib/y.mjs"),
    says: /lib\/y\.mjs has changed/,
  },
  "a file that a script reads in": {
    command: "../hooks/x.sh",
    files: {
      "hooks/x.sh": '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n',
      "hooks/lib.sh": "true\n",
    },
    change: append("hooks/lib.sh"),
    says: /lib\.sh has changed/,
  },
  "a file beside it, by a variable of the script's own": {
    command: "sh ../hooks/x.sh",
    files: {
      "hooks/x.sh": 'here=$(cd "$(dirname "$0")" && pwd)\nsource ${here}/common\n',
      "hooks/common": "true\n",
    },
    change: append("hooks/common"),
    says: /hooks\/common has changed/,
  },
  "a Python module beside it": {
    command: "python3 ../hooks/x.py",
    files: {
      "bin/python3": FAKE,
      "hooks/x.py": "import os, helper\n",
      "hooks/helper.py": "x = 1\n",
    },
    change: append("hooks/helper.py"),
    says: /helper\.py has changed/,
  },
  "a Python module that is put before the library's": {
    command: "python3 ../hooks/x.py",
    files: { "bin/python3": FAKE, "hooks/x.py": "from json import dumps\n" },
    change: (place) => place.write("hooks/json.py", "import os\n"),
    says: /it would also run .*hooks\/json\.py/,
  },
  "a Python module that inline text finds in the project": {
    command: "python3 -c 'import json, sys; sys.exit(0)'",
    files: { "bin/python3": FAKE },
    change: (place) => place.write("project/json.py", "import os\n"),
    says: /it would also run .*project\/json\.py/,
  },
  "a Python module that is run by name": {
    command: "python3 -m checks.guard",
    files: { "bin/python3": FAKE, "project/checks/guard.py": "pass\n" },
    change: append("project/checks/guard.py"),
    says: /guard\.py has changed/,
  },
  "the interpreter that a script names": {
    command: "../hooks/x",
    files: { "bin/tool": FAKE, "hooks/x": "#!/usr/bin/env tool\n" },
    change: append("bin/tool"),
    says: /bin\/tool has changed/,
  },
  "another interpreter earlier on the PATH": {
    command: "sh ../hooks/x.sh",
    files: { "hooks/x.sh": "exit 0\n" },
    change: (place) => place.write("bin/sh", FAKE, 0o755),
    says: /it would also run .*bin\/sh/,
  },
  "another interpreter for a script that asks env for it": {
    command: "../hooks/x.sh",
    files: { "hooks/x.sh": "#!/usr/bin/env sh\n" },
    change: (place) => place.write("bin/sh", FAKE, 0o755),
    says: /it would also run .*bin\/sh/,
  },
  "a file named in inline text, through a variable": {
    command: "sh -c '. $HOME/hooks/env && true'",
    files: { "hooks/env": "true\n" },
    change: append("hooks/env"),
    says: /hooks\/env has changed/,
  },
  "a program that inline text calls": {
    command: "bash -c 'true && helper --fast'",
    files: { "bin/bash": FAKE, "bin/helper": FAKE },
    change: append("bin/helper"),
    says: /bin\/helper has changed/,
  },
  "a program that inline text of one word calls": {
    command: "sh -c helper",
    files: { "bin/helper": FAKE },
    change: append("bin/helper"),
    says: /bin\/helper has changed/,
  },
  "a file that a variable of the command makes a shell read": {
    command: "env BASH_ENV=../hooks/first sh -c true",
    files: { "hooks/first": "true\n" },
    change: append("hooks/first"),
    says: /hooks\/first has changed/,
  },
  "a recipe of the project": {
    command: "make -s check",
    files: { "bin/make": FAKE, "project/Makefile": "check:\n\t./check.sh\n" },
    change: append("project/Makefile"),
    says: /Makefile has changed/,
  },
  "a script that a recipe in another folder runs": {
    command: "make -C ../hooks check",
    files: {
      "bin/make": FAKE,
      "hooks/Makefile": "check:\n\t./check.sh\n",
      "hooks/check.sh": "exit 0\n",
    },
    change: append("hooks/check.sh"),
    says: /check\.sh has changed/,
  },
  "a module that is loaded before the script": {
    command: "node -r ../hooks/first.js ../hooks/guard",
    files: { "bin/node": FAKE, "hooks/first.js": "0;\n", "hooks/guard": "0;\n" },
    change: append("hooks/guard"),
    says: /hooks\/guard has changed/,
  },
  "a script reached by a link that is turned elsewhere": {
    command: "sh ../hooks/link.sh",
    files: { "hooks/real.sh": "exit 0\n", "hooks/evil.sh": "exit 0\n" },
    async change(place) {
      await Deno.remove(`${place.dir}/hooks/link.sh`);
      await Deno.symlink("evil.sh", `${place.dir}/hooks/link.sh`);
    },
    says: /link\.sh leads to .*evil\.sh now/,
  },
  "a script changed under its other name": {
    command: "sh ../hooks/link.sh",
    files: { "hooks/real.sh": "exit 0\n" },
    change: append("hooks/real.sh"),
    says: /link\.sh has changed/,
  },
  "a folder above it that becomes a link": {
    command: "sh ../hooks/x.sh",
    files: { "hooks/x.sh": "exit 0\n", "other/x.sh": "exit 0\n" },
    async change(place) {
      await Deno.rename(`${place.dir}/hooks`, `${place.dir}/away`);
      await Deno.symlink("other", `${place.dir}/hooks`);
    },
    says: /x\.sh leads to .*other\/x\.sh now/,
  },
};

Deno.test("consent to a hook ends when anything changes that it runs", async (t) => {
  for (const [what, { command, files, change, says }] of Object.entries(CHANGES)) {
    await t.step(what, async () => {
      await using place = await Place.create();
      for (const [path, text] of Object.entries(files)) {
        await place.write(path, text, /^bin\/|\/x(\.sh)?$/.test(path) ? 0o755 : 0o644);
      }
      if (command.includes("link.sh")) {
        await Deno.symlink("real.sh", `${place.dir}/hooks/link.sh`);
      }
      await place.approve(command);
      await change(place);
      assert.match(String(await place.objection(command)), says);
    });
  }
});

Deno.test("consent to a script goes with its content, whatever name it was changed by", async () => {
  await using place = await Place.create();
  await place.write("hooks/x.sh", "exit 0\n");
  await Deno.link(`${place.dir}/hooks/x.sh`, `${place.dir}/elsewhere`);
  await place.approve("sh ../hooks/x.sh");
  await Deno.writeTextFile(`${place.dir}/elsewhere`, "exit 1\n");
  assert.match(String(await place.objection("sh ../hooks/x.sh")), /has changed/);
  await Deno.writeTextFile(`${place.dir}/elsewhere`, "exit 0\n");
  assert.equal(await place.objection("sh ../hooks/x.sh"), undefined, "as it was");
});

Deno.test("consent to a hook outlives what it only reads, and files made anew", async () => {
  await using place = await Place.create();
  await place.write("hooks/x.sh", "#!/bin/sh\ncat data.txt\n", 0o755);
  await place.write("project/data.txt", "one");
  const command = "../hooks/x.sh data.txt --log=data.txt";
  await place.approve(command);
  await place.write("project/data.txt", "two");
  await place.write("project/other.sh", "exit 1\n");
  assert.equal(await place.objection(command), undefined);
  await place.write("hooks/new", "#!/bin/sh\ncat data.txt\n", 0o755);
  await Deno.rename(`${place.dir}/hooks/new`, `${place.dir}/hooks/x.sh`);
  assert.equal(await place.objection(command), undefined);
});

Deno.test("a large program is read again only when it was touched", async () => {
  await using place = await Place.create();
  const large = new Uint8Array(2 * 1024 * 1024);
  await Deno.writeFile(`${place.dir}/bin/tool`, large, { mode: 0o755 });
  await place.approve("tool");
  const before = (await Deno.stat(`${place.dir}/bin/tool`)).mtime!;
  large[large.length - 1] = 1;
  await Deno.writeFile(`${place.dir}/bin/tool`, large);
  await Deno.utime(`${place.dir}/bin/tool`, before, before);
  assert.match(String(await place.objection("tool")), /bin\/tool has changed/);
  const path = await Deno.realPath(Deno.execPath());
  const stamp = stampOf(await Deno.stat(path));
  const known = () => ({ path, stamp, sha256: "as before" });
  const { covered } = (await findFile(path, { known, wanted: () => true }))!;
  if (covered.sha256 === undefined) {
    console.log("the runtime is the system's here: not read at all");
  } else assert.equal(covered.sha256, "as before");
});

Deno.test("surveyProgram() knows the system's programs by their path alone", async () => {
  await using place = await Place.create();
  const program = await surveyProgram(["sh", "-c", "exit 0"], place);
  assert.deepEqual(program!.files.map((file) => Object.keys(file)), [["path"]]);
  assert.equal(await surveyProgram(["no-such-program"], place), undefined);
  await place.write("bin/plain", "exit 0\n", 0o644);
  assert.equal(await surveyProgram(["plain"], place), undefined, "it cannot be executed");
});

Deno.test("surveyProgram() ends soon whatever a script says", async () => {
  await using place = await Place.create();
  const rows = [
    `#!${" ".repeat(200_000)}x`,
    `#!/bin/sh\n${"${a".repeat(60_000)}`,
    `#!/bin/sh\n${"$a/".repeat(60_000)}`,
    `#!/bin/sh\n${"a/b/c/".repeat(40_000)}`,
    `#!/bin/sh\n${"./x ".repeat(60_000)}`,
    Array.from({ length: 30_000 }, (_, i) => `./f${i}`).join(" "),
    `import ${"a.".repeat(100_000)}`,
    `import ${"a, ".repeat(80_000)}`,
    `;${" ".repeat(200_000)}`.repeat(2),
    // A file that is read until the kernel has something to say.
    "#!/bin/sh\n. /proc/kmsg; . /dev/zero; cat /proc/kmsg\n",
  ];
  for (const text of rows) {
    for (const name of ["x.sh", "x.py"]) {
      await place.write(`hooks/${name}`, text, 0o755);
      await surveyProgram(["env", "sh", `../hooks/${name}`], place);
    }
  }
});

Deno.test("privateArgv() runs the bytes that were compared, while the original is overwritten", async () => {
  await using place = await Place.create();
  const script = `#!/bin/sh\n: > ${place.dir}/started\n` +
    `while [ ! -e ${place.dir}/go ]; do sleep 0.01; done\n`;
  await place.write("hooks/x.sh", script, 0o755);
  for (const command of ["../hooks/x.sh a", "sh ../hooks/x.sh a"]) {
    await place.write("hooks/x.sh", script, 0o755);
    await place.approve(command);
    const { program } = await consentTo(place.hook(command), place);
    const argv = await privateArgv(program!, `${place.dir}/copies`);
    assert.equal(argv.at(-1), "a");
    assert.match(argv.at(-2)!, /\/copies\/[0-9a-f]{64}\/x\.sh$/);
    const signal = AbortSignal.timeout(20_000);
    const running = spawnHook({ argv, stdin: "", env: place.env, cwd: place.cwd, signal });
    const watcher = Deno.watchFs(place.dir);
    const exists = (name: string) =>
      Deno.stat(`${place.dir}/${name}`).then(() => true, () => false);
    if (!await exists("started")) {
      for await (const _ of watcher) if (await exists("started")) break;
    }
    try {
      watcher.close();
    } catch {
      // The loop has closed it.
    }
    // A shell that read the original would come to this line.
    await Deno.writeTextFile(`${place.dir}/hooks/x.sh`, `: > ${place.dir}/evil\n`, {
      append: true,
    });
    await place.write("go", "");
    assert.equal((await running).code, 0);
    assert.equal(await exists("evil"), false, command);
    for (const name of ["go", "started"]) await Deno.remove(`${place.dir}/${name}`);
  }
});

Deno.test("privateArgv() leaves a script in its place that asks where it is, or has neighbours", async () => {
  await using place = await Place.create();
  await place.write("hooks/lib.sh", "true\n");
  await place.write("bin/node", FAKE, 0o755);
  const rows: [string, string][] = [
    ["../hooks/x.sh", '#!/bin/sh\ncd "$(dirname "$0")"\n'],
    ["../hooks/x.sh", "#!/bin/sh\n. $D/lib.sh\n"],
    ["node ../hooks/x.sh", 'console.log("x")\n'],
    ["../hooks/x.sh", "no first line\n"],
  ];
  for (const [command, text] of rows) {
    await place.write("hooks/x.sh", text, 0o755);
    const { program } = await consentTo(place.hook(command), place);
    const argv = await privateArgv(program!, `${place.dir}/copies`);
    assert.deepEqual(argv, program!.argv, text);
  }
  await place.write("hooks/x.sh", "#!/bin/sh\nexit 0\n", 0o755);
  const { program } = await consentTo(place.hook("../hooks/x.sh"), place);
  await place.write("copies", "a file where the folder must be");
  assert.deepEqual(await privateArgv(program!, `${place.dir}/copies`), program!.argv);
});

Deno.test("privateArgv() believes no copy that says something else", async () => {
  await using place = await Place.create();
  await place.write("hooks/x.sh", "#!/bin/sh\nexit 3\n", 0o755);
  const { program } = await consentTo(place.hook("../hooks/x.sh"), place);
  const copies = `${place.dir}/copies`;
  const path = (await privateArgv(program!, copies)).at(-1)!;
  await Deno.chmod(path, 0o700);
  await Deno.writeTextFile(path, "#!/bin/sh\nexit 4\n");
  await privateArgv(program!, copies);
  assert.equal(await Deno.readTextFile(path), "#!/bin/sh\nexit 3\n");
});
