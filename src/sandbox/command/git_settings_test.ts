import assert from "node:assert/strict";
import { isDataSetting, judgeSettings, parseGitSettings } from "./git_settings.ts";

const NEW_REPOSITORY = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n";

function pairs(text: string): [string, string | undefined][] | undefined {
  return parseGitSettings(text)?.map(({ key, value }) => [key, value]);
}

async function git(args: readonly string[]): Promise<string | undefined> {
  const { code, stdout } = await new Deno.Command("git", {
    args: ["-c", "core.pager=cat", ...args],
    env: { GIT_CONFIG_NOSYSTEM: "1", HOME: "/nonexistent" },
    stderr: "null",
  }).output();
  return code === 0 ? Array.from(stdout, (byte) => String.fromCharCode(byte)).join("") : undefined;
}

const TEXTS: readonly string[] = [
  "",
  NEW_REPOSITORY,
  "\xef\xbb\xbf[a]b=1",
  "[Core]\nHooksPath = X Y \t\n",
  '[remote "Or.igin"]\n url = a ; comment\n  fetch = "+refs/*:x # y"\n',
  '[alias] x = "!sh -c \\"a\\"" # y\n[alias]y=1\\\n  2\\t3\n',
  "[a.B.c]\nd\n[e]f = \n",
  '[s "q\\"u\\\\o"]\r\n\tk = v\r\n',
  '[a]\nb = 1 "  2 " 3   \nc = "x\\ny"\n',
  "[a]\nb = x\\\n # still the value\n",
  "# [x]\n; y\n[a] ; z\nb=1;2\n",
  '[a "x"] b = 1\n',
  '[a   "x y"]\nb-c = 1',
  "[a]\nb = x \\\n",
];

const BROKEN: readonly string[] = [
  "[core\n",
  "[core]\nx y = 1\n",
  '[core]\nx = "1\n',
  "[core]\nx = \\q\n",
  '[a "b]\nc=1\n',
  '[a "b" ]\nc=1\n',
  "[a]\n-x = 1\n",
  "[a]\nx # y\n",
  "[a b]\n",
  "[ä]\nx=1\n",
];

Deno.test("parseGitSettings() reads what git reads, and refuses what git refuses", async () => {
  const file = await Deno.makeTempFile();
  try {
    for (const text of [...TEXTS, ...BROKEN]) {
      await Deno.writeFile(file, Uint8Array.from(text, (char) => char.charCodeAt(0)));
      const listed = await git(["config", "--file", file, "--list", "--null"]);
      const expected = listed?.split("\0").slice(0, -1).map((line) => {
        const cut = line.indexOf("\n");
        return cut < 0 ? [line, undefined] : [line.slice(0, cut), line.slice(cut + 1)];
      });
      assert.deepEqual(pairs(text), expected, JSON.stringify(text));
      assert.equal(BROKEN.includes(text), expected === undefined, JSON.stringify(text));
    }
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("parseGitSettings() and git agree on random texts", async () => {
  const parts = ["[a]", '[a "b"]', "[", "]", "x", "=", " ", "\t", "\n", '"', "\\", "#", ";", "1"];
  parts.push("\r\n", "\\\n", "k=v\n", "k\n", "\\n", "\n[c.D]\n", ".", "-", "\r");
  let seed = 14;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const directory = await Deno.makeTempDir();
  try {
    const texts = Array.from({ length: 250 }, () => {
      let text = "[a]\n";
      for (let i = random(14); i >= 0; i--) text += parts[random(parts.length)];
      return text;
    });
    await Promise.all([0, 1, 2, 3].map(async (lane) => {
      const file = `${directory}/${lane}`;
      for (let i = lane; i < texts.length; i += 4) {
        const text = texts[i]!;
        await Deno.writeTextFile(file, text);
        const listed = await git(["config", "--file", file, "--list", "--null"]);
        const own = pairs(text)?.map(([key, value]) =>
          value === undefined ? `${key}\0` : `${key}\n${value}\0`
        ).join("");
        // Versions of git differ in whether a tab inside a value stays one.
        assert.equal(
          own?.replaceAll(/[\t\r]/g, " "),
          listed?.replaceAll(/[\t\r]/g, " "),
          JSON.stringify(text),
        );
      }
    }));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("isDataSetting() is false for every setting that makes git run or read something", () => {
  const settings =
    `core.hooksPath core.fsmonitor core.sshCommand core.pager core.editor core.askPass
    core.attributesFile core.excludesFile core.gitProxy core.worktree core.alternateRefsCommand
    alias.x filter.x.clean filter.x.smudge filter.x.process diff.external diff.x.command
    diff.x.textconv merge.x.driver mergetool.x.cmd difftool.x.cmd credential.helper
    credential.https://x.helper include.path includeIf.gitdir:/.path url.x.insteadOf
    url.x.pushInsteadOf remote.x.uploadpack remote.x.receivepack remote.x.vcs remote.x.proxy
    gpg.program gpg.ssh.program gpg.ssh.defaultKeyCommand http.proxy http.sslVerify http.cookieFile
    protocol.ext.allow protocol.allow sequence.editor pager.log browser.x.cmd man.x.cmd
    interactive.diffFilter sendemail.smtpServer trailer.x.command uploadpack.packObjectsHook
    branch.x.mergeoptions submodule.x.command lfs.customtransfer.x.path lfs.url commit.template
    gui.x blame.ignoreRevsFile mailmap.file core.protectNTFS safe.directory core.x constructor.x
    __proto__.x core.constructor`.split(/\s+/);
  for (const name of settings) {
    const [section, ...rest] = name.split(".");
    const key = `${section!.toLowerCase()}.${
      [...rest.slice(0, -1), rest.at(-1)!.toLowerCase()].join(".")
    }`;
    assert.equal(isDataSetting({ key, value: "x", start: 0, end: 0 }), false, name);
  }
});

Deno.test("isDataSetting() judges some keys by their values", () => {
  const judge = (key: string, value: string) => isDataSetting({ key, value, start: 0, end: 0 });
  assert.equal(judge("submodule.a.update", "rebase"), true);
  assert.equal(judge("submodule.a.update", "!sh"), false);
  assert.equal(judge("remote.a.url", "git@host.example:a/b"), true);
  assert.equal(judge("remote.a.url", "ext::sh -c x"), false);
  assert.equal(judge("branch.a.remote", "foo::x"), false);
  const worktree = { key: "core.worktree", value: "../../../a", start: 0, end: 0 };
  assert.equal(isDataSetting(worktree, { isWorktree: (value) => value.endsWith("/a") }), true);
});

Deno.test("judgeSettings() keeps changes of data", () => {
  const after = `${NEW_REPOSITORY}[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n`;
  assert.deepEqual(judgeSettings(NEW_REPOSITORY, after), { verdict: "keep" });
  const alias = "[alias]\n\tst = status\n";
  assert.deepEqual(judgeSettings(NEW_REPOSITORY + alias, alias + after), { verdict: "keep" });
});

Deno.test("judgeSettings() takes out what was added, and leaves the data that came with it", () => {
  const branch = '[branch "main"]\n\tremote = origin\n';
  const after = NEW_REPOSITORY.replace("\tbare", "\thooksPath = x\n\tbare") +
    `[alias] x = "!a\\\nb" # c\n\ty = z\n${branch}\tdescription = d`;
  assert.deepEqual(judgeSettings(NEW_REPOSITORY, after), {
    verdict: "mend",
    text: `${NEW_REPOSITORY}[alias] \n${branch}\tdescription = d`,
    keys: ["core.hookspath", "alias.x", "alias.y"],
  });
});

Deno.test("judgeSettings() brings back the whole file when settings were removed or changed", () => {
  const before = `${NEW_REPOSITORY}[core]\n\thooksPath = .husky\n`;
  for (const after of [NEW_REPOSITORY, before.replace(".husky", "x"), "[core\n"]) {
    assert.equal(judgeSettings(before, after).verdict, "restore", after);
  }
});
