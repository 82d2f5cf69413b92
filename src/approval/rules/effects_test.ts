import assert from "node:assert/strict";
import { deletedBy, touchesOf, writtenBy } from "./effects.ts";
import { walkShell } from "../shell/walk.ts";

const PLACE = { home: "/home/me", cwd: "/home/me/project", programs: [] };

function last(command: string) {
  return walkShell(command, PLACE).invocations.at(-1)!;
}

Deno.test("writtenBy() finds what a command writes, whatever the option is called", () => {
  for (
    const [command, path] of [
      ["echo x > a", "a"],
      ["echo x >> a", "a"],
      ["cat x &> a", "a"],
      ["tee a", "a"],
      ["dd if=x of=a", "a"],
      ["cp x a", "a"],
      ["install -m 644 x a", "a"],
      ["mv -t a x", "a"],
      ["sed -i s/a/b/ a", "a"],
      ["sed 'w a' x", "a"],
      ["awk -i inplace 1 a", "a"],
      ["sort -o a x", "a"],
      ["tar xf x -C a", "a"],
      ["tar cf a x", "a"],
      ["unzip x -d a", "a"],
      ["curl -o a u", "a"],
      ["wget -P a u", "a"],
      ["gcc x.c -o a", "a"],
      ["unknown --output=a", "a"],
      ["unknown --out-dir a", "a"],
      ["openssl enc -in x -out a", "a"],
      ["sqlite3 a 'delete from t'", "a"],
      ["find . -fprint a", "a"],
      ["docker cp web:/x a", "a"],
      ["git clone u a", "a"],
      ["7z x x.7z -oa", "a"],
    ] as const
  ) assert.ok(writtenBy(last(command)).includes(path), command);
});

Deno.test("writtenBy() finds nothing where a command only reads", () => {
  for (
    const command of [
      "cat a",
      "sed s/a/b/ a",
      "tar tf a",
      "grep -o x a",
      "sqlite3 a 'select 1'",
      "ls -o a",
      "echo x 2>&1",
      "docker cp a web:/x",
      "find . -name a",
    ]
  ) assert.deepEqual(writtenBy(last(command)), [], command);
});

Deno.test("deletedBy() finds what goes away, by whatever program", () => {
  for (
    const command of [
      "rm a",
      "unlink a",
      "shred -n 3 -u a",
      "mv a b",
      "gio trash a",
      "find a -delete",
      "tar czf x.tgz --remove-files a",
      "zip -m x.zip a",
      "7z a -sdel x.7z a",
      "git rm a",
      "rsync --remove-source-files a b",
    ]
  ) assert.ok(deletedBy(last(command)).includes("a"), command);
  assert.deepEqual(deletedBy(last("git rm --cached a")), []);
});

function read(command: string): string[] {
  return touchesOf(last(command)).filter(({ effect }) => effect === "read").map(({ path }) => path);
}

Deno.test("touchesOf() finds paths behind options, signs and quotes", () => {
  for (
    const command of [
      "unknown ~/.x/k",
      "unknown --file=~/.x/k",
      "unknown -f~/.x/k",
      "unknown @~/.x/k",
      "unknown name=@~/.x/k",
      "unknown file://~/.x/k",
      "unknown a:~/.x/k",
      "unknown type=bind,source=~/.x/k,target=/t",
      "python3 -c \"open('~/.x/k')\"",
      "dd if=~/.x/k",
      "cat < ~/.x/k",
      "cpio -o <<< ~/.x/k",
      "tar -C ~ -cf x.tar .x/k",
    ]
  ) assert.ok(read(command).some((path) => path.endsWith("/.x/k")), command);
});

Deno.test("touchesOf() takes words that are no paths for none", () => {
  for (
    const command of [
      "echo see ~/.x/k",
      "ls ~/.x/k",
      "test -f ~/.x/k",
      "git commit -m 'see ~/.x/k'",
      "grep '\\.x/k' README",
      "ssh -i ~/.x/k host",
      "kubectl --kubeconfig ~/.x/k get pods",
      "curl https://h.example/.x/k",
      "git rm --cached ~/.x/k",
    ]
  ) assert.ok(!read(command).some((path) => path.includes(".x/k")), command);
});

Deno.test("writtenBy() reads the small languages that write files", () => {
  for (
    const [command, path] of [
      ["awk '{print > \"a\"}' x", "a"],
      ["awk -v f=a 'BEGIN{print 1 >> f}'", "a"],
      ["sqlite3 :memory: '.output a' 'select 1'", "a"],
      ["git log --output=a", "a"],
      ["git archive -o a HEAD", "a"],
      ["git bundle create a HEAD", "a"],
      ["git config -f a b.c d", "a"],
      ["GIT_TRACE=/a git status", "/a"],
      ["curl --trace a u", "a"],
      ["python3 -m venv a", "a"],
      ["zip a x", "a"],
      ["csplit -f a x 1", "a"],
    ] as const
  ) assert.ok(writtenBy(last(command)).includes(path), command);
});
