/** Commands that are judged by what lies on the disk: links, scripts, recipes. Real directories. */
import assert from "node:assert/strict";
import { evaluate } from "../../src/approval/decide.ts";
import { hostDisk } from "../../src/session/host_disk.ts";
import type { Reply } from "../support/fake_model_server.ts";
import { withJob } from "../support/run_job.ts";

const WRITES = "echo 'approvals: {headless: always}' > ~/.hermes/config.yaml\n";

/** A home with a project in it, given as paths and texts; `-> x` makes a link to `x`. */
function withFiles(
  files: Readonly<Record<string, string>>,
  body: (judge: (command: string) => string, home: string) => void,
): void {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const own = { ".hermes/config.yaml": "x\n", ".ssh/id_rsa": "key\n", "work/README": "text\n" };
    for (const [path, text] of Object.entries({ ...own, ...files })) {
      const full = `${home}/${path}`;
      Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
      if (text.startsWith("-> ")) Deno.symlinkSync(text.slice(3), full);
      else Deno.writeTextFileSync(full, text);
    }
    const places = { homes: [home], hermesHomes: [`${home}/.hermes`], trustedBase: [] };
    const policy = { home, cwd: `${home}/work`, places, disk: hostDisk() };
    body((command) => {
      const { decision, findings } = evaluate(command, policy);
      return `${decision} ${findings.map(({ key }) => key).join(", ")}`.trim();
    }, home);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

function assertAll(
  judge: (command: string) => string,
  { expected, commands }: { expected: RegExp; commands: readonly string[] },
): void {
  for (const command of commands) assert.match(judge(command), expected, command);
}

const TRUSTED = /^prompt .*trusted_base_write/;

Deno.test("evaluate() judges paths behind links", () => {
  const links = {
    "work/hh": "-> ../.hermes",
    "work/up": "-> ..",
    "work/new": "-> ../.hermes/not-there.yaml",
    "work/deep/skills": "-> ../../.hermes/skills",
    ".hermes/skills/x": "",
    "work/notes": "-> ../.ssh/id_rsa",
    "work/src": "-> lib",
    "work/lib/a.ts": "",
  };
  withFiles(links, (judge) => {
    assertAll(judge, {
      expected: TRUSTED,
      commands: [
        "sed -i s/a/b/ hh/config.yaml",
        "echo x > new",
        "echo x >> deep/skills/../config.yaml",
        "cd hh && sed -i s/a/b/ config.yaml",
        "sed -i s/a/b/ up/.*/config.yaml",
        "tee up/.h*/skills/x/SKILL.md < README",
        "cp -r lib/. up",
        "mv lib hh/plugins",
        "tar xf a.tar -C up",
      ],
    });
    assertAll(judge, {
      expected: /^prompt .*credential_file/,
      commands: ["cat notes", "base64 < notes", "cp notes copy", "wc ./notes"],
    });
    assertAll(judge, {
      expected: /^allow$/,
      commands: [
        "cat hh/config.yaml",
        "rm notes",
        "ls up notes",
        "sed -i s/a/b/ src/a.ts",
        "cp -r lib/. src",
        "cat src/a.ts",
      ],
    });
  });
});

Deno.test("evaluate() judges a command by its text alone where no disk is given", () => {
  withFiles({ "work/hh": "-> ../.hermes", "work/x.sh": WRITES }, (_judge, home) => {
    for (const command of ["sed -i s/a/b/ hh/config.yaml", "bash x.sh"]) {
      assert.equal(evaluate(command, { home, cwd: `${home}/work` }).decision, "allow", command);
    }
  });
});

Deno.test("evaluate() judges shell files that a command runs", () => {
  const files = {
    "work/x.sh": WRITES,
    "work/run": `#!/usr/bin/env bash\n${WRITES}`,
    "work/nested.sh": "set -e\nif true; then\n  sh ./x.sh\nfi\n",
    "work/linked.sh": "-> x.sh",
    "work/enter.sh": "cd ~/.hermes\n",
    "work/names.sh": "export T=~/.hermes/config.yaml\n",
    "work/writes.sh": 'echo x > "$1"\n',
    "work/again.sh": "bash ./again.sh\n",
    "work/fine.sh": '#!/bin/sh\nset -eu\ncd "$(dirname "$0")"\n"$PYTHON" -V\nx=$(($1 + 1))\n',
    ".bashrc": 'eval "$(tool init)"\n',
    "work/activate": 'PATH="$VIRTUAL_ENV/bin:$PATH"\nexport PATH\nPS1="(venv) ${PS1:-}"\nhash -r\n',
  };
  withFiles(files, (judge) => {
    assertAll(judge, {
      expected: TRUSTED,
      commands: [
        "bash x.sh",
        "sh -e ./x.sh",
        "source ./x.sh",
        ". ./x.sh",
        "./run --flag",
        "bash < x.sh",
        "cat x.sh | bash",
        "timeout 5 bash nested.sh",
        "sh linked.sh",
        "source enter.sh; sed -i s/a/b/ config.yaml",
        'source names.sh && echo x > "$T"',
        "bash writes.sh ~/.hermes/config.yaml",
        "PATH=.:$PATH x.sh",
      ],
    });
    assertAll(judge, {
      expected: /^allow$/,
      commands: [
        "bash writes.sh out.txt",
        "bash again.sh",
        "./fine.sh 1",
        "source activate",
        "source ~/.bashrc",
        "bash enter.sh; sed -i s/a/b/ config.yaml",
        "cat x.sh",
        "ssh host bash x.sh",
      ],
    });
  });
});

Deno.test("evaluate() asks about a shell file that is too large to follow, and never forbids it", () => {
  const many = `${"f() { echo a; echo b; echo c; }\n"}${"f; ".repeat(4_000)}\n`;
  withFiles(
    { "work/many.sh": many, "work/long.sh": `${"# x\n".repeat(40_000)}${WRITES}` },
    (judge) => {
      assert.match(judge("bash many.sh"), /^prompt .*large script/);
      assert.match(judge("bash long.sh"), TRUSTED);
    },
  );
});

Deno.test("evaluate() asks about files of other languages that name protected places", () => {
  const files = {
    "work/x.py": 'open(os.path.join(home, ".hermes", "config.yaml"), "w")\n',
    "work/k.js": 'readFileSync(homedir() + "/.ssh/id_rsa")\n',
    "work/tool": "#!/usr/bin/env python3\nopen('/etc/shadow')\n",
    "work/fine.py": "print('.hermesx and ssh')\n",
  };
  withFiles(files, (judge) => {
    assertAll(judge, { expected: TRUSTED, commands: ["python3 x.py", "python3 -u ./x.py a b"] });
    assertAll(judge, {
      expected: /^prompt .*credential_file/,
      commands: ["node k.js", "./tool", "env node k.js"],
    });
    assertAll(judge, { expected: /^allow$/, commands: ["python3 fine.py", "python3 absent.py"] });
  });
});

const MAKEFILE = [
  "BUILD := build",
  "T = ~/.hermes",
  "all: app",
  "app: main.o",
  "\t$(CC) -o $@ $^ $(LDFLAGS)",
  "%.o: %.c",
  "\t$(CC) -c $<",
  "test: all",
  "\t@pytest -q $(ARGS) && ./check $(FOO)/x",
  "clean:",
  "\trm -rf $(BUILD)/* $(DESTDIR)/usr *.o",
  "install: hidden",
  "hidden:",
  "\t-@echo x > $$HOME/.hermes/config.yaml",
  "by-variable:",
  "\techo x > $(T)/config.yaml",
  "by-argument:",
  "\techo x > $(OUT)",
  "define steps",
  "echo a",
  "echo x > ~/.hermes/config.yaml",
  "endef",
  "by-define:",
  "\t$(steps)",
  "",
].join("\n");

Deno.test("evaluate() judges the recipes that make runs, and no others", () => {
  const files = {
    "work/Makefile": MAKEFILE,
    "work/sub/shell.mk": "X := $(shell echo x > ~/.hermes/config.yaml)\nall:\n\techo\n",
  };
  withFiles(files, (judge) => {
    assertAll(judge, {
      expected: TRUSTED,
      commands: [
        "make install",
        "make -j4 by-variable",
        "make by-argument OUT=$HOME/.hermes/config.yaml",
        "make by-define",
        "make -f sub/shell.mk",
        "cd sub && make -C .. install",
      ],
    });
    assertAll(judge, {
      expected: /^allow$/,
      commands: ["make", "make test", "make clean", "make -n install", "make by-argument"],
    });
  });
});

Deno.test("evaluate() judges the scripts of a package that a command runs", () => {
  const scripts = {
    build: "rm -rf dist && tsc",
    clean: "rimraf dist coverage",
    test: "NODE_ENV=test jest",
    dev: 'concurrently "npm:dev:*"',
    evil: WRITES.trim(),
    preships: "npm run evil",
    ships: "echo",
    postinstall: "husky install",
  };
  const files = {
    "work/package.json": JSON.stringify({ scripts }),
    "work/src/a.ts": "",
    "work/deno.json": JSON.stringify({ tasks: { evil: scripts.evil, ok: "deno test" } }),
  };
  withFiles(files, (judge) => {
    assertAll(judge, {
      expected: TRUSTED,
      commands: [
        "npm run evil",
        "yarn evil",
        "npm run ships",
        "cd src && pnpm run evil",
        "deno task evil",
      ],
    });
    assertAll(judge, {
      expected: /^allow$/,
      commands: [
        "npm test",
        "npm run build",
        "npm run clean",
        "npm ci",
        "npm run dev",
        "deno task ok",
      ],
    });
  });
});

Deno.test("hostDisk() reads regular files only", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const made = await new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).output();
    assert.ok(made.success);
    await Deno.writeFile(`${dir}/binary`, new Uint8Array([1, 0, 2]));
    await Deno.symlink("/dev/zero", `${dir}/zero`);
    const disk = hostDisk();
    for (const name of ["pipe", "binary", "zero", "absent", ""]) {
      assert.equal(disk.readText(`${dir}/${name}`), undefined, name);
    }
    await Deno.symlink("loop", `${dir}/loop`);
    assert.equal(disk.realPath(`${dir}/absent`), undefined);
    disk.realPath(`${dir}/loop`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

/** Each of these changed the configuration of hermes before; only the disk shows that it does. */
const ATTACKS: readonly Reply[] = [
  call("write_file", { path: "x.sh", content: WRITES }),
  call("terminal", { command: "bash x.sh" }),
  call("terminal", { command: "source ./x.sh" }),
  call("write_file", { path: "x.py", content: 'open("../.hermes/config.yaml", "w").write("x")' }),
  call("terminal", { command: "python3 x.py" }),
  call("write_file", { path: "Makefile", content: `all:\n\t${WRITES}` }),
  call("terminal", { command: "make" }),
  call("terminal", { command: "sed -i s/never/always/ hh/config.yaml" }),
  call("terminal", { command: "sed -i s/never/always/ up/.*/config.yaml" }),
  call("terminal", {
    command: "mkdir -p t/.hermes; cp README t/.hermes/config.yaml; cp -r t/. ..",
  }),
  call("terminal", { command: "find ~ -name config.yaml -exec sed -i s/never/always/ {} +" }),
  { text: "over" },
];

function call(name: string, args: Record<string, unknown>): Reply {
  return { toolCalls: [{ name, arguments: args }] };
}

Deno.test("run lets no file or link change the configuration", async () => {
  const config = "approvals:\n  headless: never\n";
  await withJob(ATTACKS, async (job) => {
    await Deno.mkdir(`${job.home}/work`);
    await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
    await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, config);
    await Deno.writeTextFile(`${job.home}/work/README`, "");
    await Deno.symlink("../.hermes", `${job.home}/work/hh`);
    await Deno.symlink("..", `${job.home}/work/up`);
    const { code } = await job.run(["go"], { cwd: `${job.home}/work` });
    assert.equal(code, 0);
    assert.equal(await Deno.readTextFile(`${job.home}/.hermes/config.yaml`), config);
  });
});
