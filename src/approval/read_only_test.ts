import assert from "node:assert/strict";
import { changesNothing } from "./read_only.ts";
import { READERS } from "./read_only_data.ts";
import { decide } from "./decide.ts";

const POLICY = { cwd: "/p", home: "/home/me" };

Deno.test("changesNothing() knows everyday commands that only look", () => {
  for (
    const command of [
      ...["ls -la", "cat a | head -3", "wc -l < f", "echo a 2>&1 >/dev/null", "cd src && ls"],
      ...[
        "git status --short",
        "git log --oneline -5",
        "git --no-pager diff HEAD~1",
        "git branch -a",
      ],
      ...["git config --get user.name", "git stash list", "git remote -v", "git show HEAD:a.ts"],
      ...["find . -name '*.ts' -type f", "grep -rn foo src | sort | uniq -c | sort -rn", "rg -n x"],
      ...[
        "sed -n '1,20p' f",
        "awk '{print $1}' f",
        "git ls-files | xargs wc -l",
        "timeout 5 cat x",
      ],
      ...[
        "for f in *.ts; do wc -l $f; done",
        "[ -f x ] && cat x",
        "x=1; echo $x",
        "node --version",
      ],
      ...["LC_ALL=C sort a", "/usr/bin/ls", "cat <<E\nx\nE\n", "date +%s", "command -v git"],
    ]
  ) assert.ok(changesNothing(command, POLICY), command);
});

Deno.test("changesNothing() takes what may change or run something for a change", () => {
  for (
    const command of [
      ...["rm x", "touch x", "echo a > b", "ls >> b", "ls &> x", "ls >| x", "tee x", "ls; rm x"],
      ...[
        "git diff --output=x",
        "git diff --outp x",
        "git log --ext-diff",
        "git branch x",
        "git tag v1",
      ],
      ...[
        "git -c core.pager=x log",
        "git -C /x status",
        "git config user.name x",
        "git stash",
        "git commit",
      ],
      ...[
        "find . -delete",
        "find . -exec rm {} +",
        "find . -fprint x",
        "sort -o x y",
        "sort -ro x y",
      ],
      ...[
        "sort --compress-program=x y",
        "uniq a b",
        "xxd -r a b",
        "tree -o x",
        "date -s x",
        "rg --pre x y",
      ],
      ...["sed -i s/a/b/ f", "sed -n '1,20w x' f", "sed -n '1e id' f", "sed s/a/b/w\\ x f"],
      ...["awk '{print > \"x\"}' f", "awk 'BEGIN{system(\"id\")}'", "awk -f x"],
      ...["PATH=. ls", "LD_PRELOAD=x ls", "PATH=.; ls", "./ls", "bin/ls", "$(echo rm) x", "$X y"],
      ...["ls | xargs rm", "ls | xargs sh -c x", "ls | xargs find", "echo $(rm x)", "cat <(rm x)"],
      ...[
        "ls() { rm x; }; ls",
        "alias ls=rm",
        "eval ls",
        "source x",
        "sudo ls",
        "env rm x",
        "bash x.sh",
      ],
      ...[
        "npm test",
        "node x.js",
        "python3 -c 1",
        "make",
        "curl h",
        "unknown",
        "echo 'open",
        "exec > x",
      ],
    ]
  ) assert.ok(!changesNothing(command, POLICY), command);
});

Deno.test("changesNothing() never says so of a hardline command", () => {
  for (const program of READERS) {
    for (const tail of ["; rm -rf /", " > /dev/sda", " $(mkfs /dev/sda)", " | sudo -S ls"]) {
      const command = `${program}${tail}`;
      if (decide(command, POLICY).decision === "allow") continue;
      assert.ok(!changesNothing(command, POLICY), command);
    }
  }
});
