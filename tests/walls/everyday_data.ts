/**
 * Everyday commands of shells and git. Rows run in a copy of their group's fixture with a fixed
 * clock for git, so that commit ids are equal inside and outside.
 */
import { CODE_ONLY, type EverydayGroup, rows, WITH_FILES } from "./_everyday_row.ts";

const FILES = String.raw`
mkdir -p src/deep docs
printf 'alpha\nbeta\ngamma\nalpha\n' > words.txt
printf 'id,name,size\n1,ann,30\n2,bob,25\n3,cy,41\n' > table.csv
printf '{"name":"demo","list":[1,2,3],"deep":{"x":true}}\n' > data.json
printf 'int main(void) { return 0; }\n' > src/main.c
printf 'NOTE: one\nplain\n// NOTE: two\n' > src/deep/notes.txt
printf '# Title\n\ntext\n' > docs/readme.md
printf '#!/bin/sh\necho ran "$@"\n' > run.sh; chmod +x run.sh
ln -s words.txt link.txt
seq 1 200 > numbers.txt
tar -czf packed.tgz src docs
gzip -kn numbers.txt
touch -d '2024-01-02 03:04:05Z' words.txt table.csv
`;

const READING: EverydayGroup = {
  name: "reading with shell and coreutils",
  needs: [],
  fixture: FILES,
  readsOnly: true,
  rows: rows([
    ["ls", "ls -A"],
    ["ls-long", "ls -l words.txt table.csv | awk '{print $1, $5, $NF}'"],
    ["ls-home", "ls ~ >/dev/null"],
    ["ls-home-all", "ls -A ~ | grep -c notes"],
    ["ls-root", "ls / | head -5"],
    ["ls-recursive", "ls -R src"],
    ["find-name", "find . -name '*.txt' | sort"],
    ["find-type", "find . -type f -size -4k | sort"],
    ["find-newer", "find . -newer words.txt -type d | sort"],
    ["find-exec", "find src -name '*.c' -exec wc -c {} +"],
    ["grep-recursive", "grep -rn NOTE src | sort"],
    ["grep-count", "grep -c a words.txt"],
    ["grep-none", "grep nothing words.txt", { exit: 1 }],
    ["grep-files", "grep -rl main . | sort"],
    ["sed-print", "sed -n '2,3p' words.txt"],
    ["awk-sum", "awk -F, 'NR>1 {s+=$3} END {print s}' table.csv"],
    ["sort-unique", "sort -u words.txt"],
    ["uniq-count", "sort words.txt | uniq -c"],
    ["cut", "cut -d, -f2 table.csv"],
    ["tr", "tr a-z A-Z < words.txt"],
    ["head-tail", "head -20 numbers.txt | tail -3"],
    ["wc", "wc -l numbers.txt words.txt"],
    ["diff", "diff words.txt table.csv", { exit: 1 }],
    ["diff-streams", "diff <(sort words.txt) <(sort -u words.txt)", { exit: 1 }],
    ["cmp", "cmp words.txt link.txt"],
    ["sha256", "sha256sum words.txt table.csv"],
    ["md5", "md5sum data.json"],
    ["base64", "base64 table.csv | base64 -d"],
    ["stat", "stat -c '%n %s %a %F' words.txt run.sh src link.txt"],
    ["file", "file -b --mime-type src/main.c data.json", { needs: ["file"] }],
    ["du", "du -sb src | cut -f1"],
    ["df", "df -P . | wc -l"],
    ["df-all", "df -P >/dev/null; echo done"],
    ["date", "date -u -d @0 +%Y-%m-%dT%H:%M:%SZ"],
    ["seq-xargs", "seq 1 20 | xargs -n 5 echo"],
    ["xargs-parallel", "seq 1 8 | xargs -P 2 -I{} sh -c 'echo $(({} * 2))' | sort -n"],
    ["tar-list", "tar -tzf packed.tgz | sort"],
    ["zcat", "zcat numbers.txt.gz | tail -1"],
    ["jq", "jq -c '.list | map(. + 1)' data.json", { needs: ["jq"] }],
    ["bc", "echo 'scale=3; 22/7' | bc", { needs: ["bc"] }],
    ["xxd", "head -c 8 table.csv | xxd -p", { needs: ["xxd"] }],
    ["od", "od -An -tx1 -N4 words.txt"],
    ["readlink", "readlink link.txt; realpath link.txt | xargs basename"],
    ["paste-nl", "paste -d: words.txt words.txt | nl -w2"],
    ["join-comm", "comm -12 <(sort -u words.txt) <(echo beta)"],
    ["run-script", "./run.sh one two"],
    ["sub-shell-jobs", "for i in 1 2 3; do (echo $i) & done | sort; wait"],
    ["ps-own", "ps -o comm= -p $$"],
    ["ps-children", "sleep 5 & ps -o comm= --ppid $$ | grep -c sleep; kill $!"],
    ["kill-own-child", "sleep 30 & kill -TERM $!; wait $!; echo $?"],
    ["kill-group", "set -m; (sleep 30 & wait) & kill -- -$!; wait $!; echo $?"],
    ["stop-continue", "sleep 0.2 & kill -STOP $!; kill -CONT $!; wait $!; echo $?"],
    ["trap", "trap 'echo caught' USR1; kill -USR1 $$; echo after"],
    ["timeout", "timeout 0.1 sleep 5", { exit: 124 }],
    ["nice", "nice -n 5 sh -c 'nice'"],
    ["identity", "id -u; whoami; uname -s; hostname >/dev/null"],
    ["own-limits", "ulimit -n >/dev/null; ulimit -Sn 256; ulimit -n"],
    ["who-am-i-home", `[ -d "$HOME" ] && cd && pwd | grep -c .`],
    ["environment", "env | grep -c '^PATH='; printenv HOME | grep -c ."],
    [
      "devices",
      "head -c 16 /dev/urandom | wc -c; head -c 3 /dev/zero | od -An -tx1; : > /dev/null",
    ],
    ["proc-self", "grep -c '^Name:' /proc/self/status; ls /proc/self/fd | wc -l >/dev/null"],
    [
      "proc-machine",
      "grep -c MemTotal /proc/meminfo; nproc; cut -d' ' -f1 /proc/loadavg >/dev/null",
    ],
    [
      "etc",
      "getent passwd root | cut -d: -f1; getent hosts localhost >/dev/null; head -1 /etc/os-release",
    ],
    ["time-zone", "TZ=Europe/Zurich date -d @0 +%H"],
    ["locale", "LC_ALL=C.UTF-8 printf '%s' 'äö' | wc -m"],
    ["large-here-document", 'wc -c <<< "$(seq 1 30000)"'],
    ["which", "command -v sh; type cd | head -1"],
    ["less-batch", "less -FX words.txt | head -1", { needs: ["less"] }],
    ["man-missing", "no-such-command-here", { exit: 127 }],
    ["not-executable", "./words.txt", { exit: 126 }],
    ["segfault", "sh -c 'kill -SEGV $$'; echo $?"],
    [
      "python-one-liner",
      'python3 -c \'import json; print(json.load(open("data.json"))["name"])\'',
      {
        needs: ["python3"],
      },
    ],
    ["perl-one-liner", "perl -ne 'print if /a$/' words.txt", { needs: ["perl"] }],
  ]),
};

const WRITING: EverydayGroup = {
  name: "writing with shell and coreutils",
  needs: [],
  fixture: FILES,
  rows: rows([
    ["touch", "touch new.txt && ls new.txt", WITH_FILES],
    ["mkdir", "mkdir -p a/b/c && touch a/b/c/d", WITH_FILES],
    ["redirect", "echo one > out.txt; echo two >> out.txt; cat out.txt", WITH_FILES],
    ["here-document", "cat > h.txt <<'X'\nline $HOME\nX\ncat h.txt", WITH_FILES],
    ["copy-tree", "cp -r src copy && diff -r src copy", WITH_FILES],
    ["copy-keep", "cp -p words.txt kept.txt && stat -c %Y kept.txt", WITH_FILES],
    ["copy-archive", "cp -a . ../copied-$$ && rm -rf ../copied-$$"],
    ["move", "mv words.txt moved.txt && ls", WITH_FILES],
    ["move-directory", "mkdir sub && mv src sub/ && find sub | sort", WITH_FILES],
    ["rename-across", "mkdir a b && echo x > a/f && mv a/f b/g && cat b/g", WITH_FILES],
    ["remove", "rm -rf src docs && ls", WITH_FILES],
    ["symlink", "ln -s src/main.c m.c && cat m.c", WITH_FILES],
    ["symlink-force", "ln -sfn docs link.txt && ls link.txt", WITH_FILES],
    ["hard-link", "ln words.txt hard.txt && stat -c %h hard.txt", WITH_FILES],
    ["hard-link-across", "mkdir d && ln words.txt d/w && cmp words.txt d/w", WITH_FILES],
    ["chmod", "chmod 640 words.txt && stat -c %a words.txt", WITH_FILES],
    [
      "chmod-run",
      "printf '#!/bin/sh\\necho made\\n' > m.sh && chmod +x m.sh && ./m.sh",
      WITH_FILES,
    ],
    ["umask", "umask 077; echo s > private && stat -c %a private", WITH_FILES],
    ["sed-in-place", "sed -i 's/alpha/omega/' words.txt && cat words.txt", WITH_FILES],
    ["sed-backup", "sed -i.bak 's/beta/B/' words.txt && ls words*", WITH_FILES],
    ["perl-in-place", "perl -pi -e 's/gamma/G/' words.txt && cat words.txt", { needs: ["perl"] }],
    ["tar-round", "tar -cf x.tar src && mkdir y && tar -xf x.tar -C y && diff -r src y/src"],
    ["tar-gz", "tar -xzf packed.tgz -C docs && find docs | sort"],
    ["tar-pipe", "mkdir t && tar -c src | tar -x -C t && find t | sort"],
    ["gzip", "gzip -n words.txt && gunzip words.txt.gz && cat words.txt", WITH_FILES],
    ["bzip2", "bzip2 -k numbers.txt && bunzip2 -c numbers.txt.bz2 | tail -1", { needs: ["bzip2"] }],
    ["xz", "xz -k numbers.txt && xzcat numbers.txt.xz | tail -1", { needs: ["xz"] }],
    ["zip", "zip -qr z.zip src && unzip -q z.zip -d u && diff -r src u/src", {
      needs: ["zip", "unzip"],
    }],
    [
      "patch",
      "sed 's/beta/b/' words.txt > w2; diff -u words.txt w2 > p; patch -s words.txt p; cat words.txt",
      {
        needs: ["patch"],
      },
    ],
    [
      "patch-reverse",
      "sed 's/a/e/' words.txt > w2; diff -u w2 words.txt > p; patch -sR words.txt p && cat words.txt",
      {
        needs: ["patch"],
      },
    ],
    ["mktemp", 't=$(mktemp) && echo in > "$t" && cat "$t" && rm "$t"'],
    ["mktemp-directory", 't=$(mktemp -d) && touch "$t/x" && ls "$t" && rm -r "$t"'],
    [
      "mktemp-here",
      "t=$(mktemp -p . made.$(printf X%.0s 1 2 3 4 5 6)) && [ -f $t ] && rm $t",
      WITH_FILES,
    ],
    [
      "tmpdir-variable",
      ': "$' +
      '{TMPDIR:=/tmp}"; echo x > "$TMPDIR/walls-$$" && cat "$TMPDIR/walls-$$" && rm "$TMPDIR/walls-$$"',
    ],
    ["shared-memory", "f=/dev/shm/walls-$$; echo x > $f && cat $f && rm $f"],
    ["tee", "echo t | tee one two && cat one two", WITH_FILES],
    ["split", "split -l 50 numbers.txt part. && ls part.*", WITH_FILES],
    ["csplit", "csplit -s numbers.txt 100 && wc -l xx*", WITH_FILES],
    ["truncate", "truncate -s 4 words.txt && cat words.txt", WITH_FILES],
    ["sparse", "truncate -s 10M big && stat -c %s big && rm big", WITH_FILES],
    ["dd", "dd if=/dev/zero of=zero bs=1k count=3 status=none && wc -c < zero", WITH_FILES],
    ["fallocate", "fallocate -l 4096 f && stat -c %s f", { ...WITH_FILES, needs: ["fallocate"] }],
    ["install", "install -D -m 755 run.sh opt/bin/run && opt/bin/run x", WITH_FILES],
    ["touch-date", "touch -d @86400 old && stat -c %Y old", WITH_FILES],
    ["find-delete", "find . -name '*.txt' -type f -delete; ls", WITH_FILES],
    ["sort-in-place", "sort -o words.txt words.txt && cat words.txt", WITH_FILES],
    ["fifo", "mkfifo p; (echo through > p) & cat p; wait; rm p", WITH_FILES],
    ["flock", "flock lock sh -c 'echo held'; flock -n lock echo again", {
      ...WITH_FILES,
      needs: ["flock"],
    }],
    ["nohup", "nohup ./run.sh n > n.out 2>&1; tail -1 n.out", WITH_FILES],
    ["setsid", "setsid -w ./run.sh s", { needs: ["setsid"] }],
    ["background-write", "(sleep 0.1; echo late > late.txt) & wait; cat late.txt", WITH_FILES],
    ["xargs-write", "seq 1 9 | xargs -P 2 -I{} sh -c 'echo {} > f{}' && cat f*", WITH_FILES],
    [
      "descriptors",
      "exec 3> three; echo x >&3; exec 3>&-; exec 4<> three; read -u 4 v; echo $v",
      WITH_FILES,
    ],
    ["named-pipe-script", "script -qec 'echo on a terminal' /dev/null | tr -d '\\r'", {
      needs: ["script"],
    }],
    ["terminal-size", "script -qec 'stty rows 30 cols 90; stty size' /dev/null | tr -d '\\r'", {
      needs: ["script"],
    }],
    [
      "extended-attribute",
      'python3 -c \'import os; os.setxattr("words.txt", "user.x", b"1"); print(os.getxattr("words.txt", "user.x"))\'',
      {
        needs: ["python3"],
      },
    ],
    [
      "unix-socket-here",
      'python3 -c \'import socket as s; a=s.socket(s.AF_UNIX); a.bind("s"); a.listen(); b=s.socket(s.AF_UNIX); b.connect("s"); b.send(b"hi"); print(a.accept()[0].recv(9))\'; rm s',
      {
        needs: ["python3"],
      },
    ],
    ["ed", "printf '1d\\nw\\nq\\n' | ed -s words.txt && cat words.txt", {
      needs: ["ed"],
      differs: {
        reason: "tmpfile() of the C library makes its file in /tmp, whatever TMPDIR says",
        code: 1,
        says: /Read-only file system|Permission denied/,
      },
    }],
    ["vim", "vim -Nes -u NONE -i NONE +'%s/beta/vim/' +wq words.txt; cat words.txt", {
      ...WITH_FILES,
      needs: ["vim"],
    }],
    ["private-mode-home-read", "cat ~/.gitconfig | grep -c name"],
    [
      "cache-directory",
      'd="$' +
      '{XDG_CACHE_HOME:-$HOME/.cache}"; mkdir -p "$d/walls-test" && echo c > "$d/walls-test/f" && cat "$d/walls-test/f"',
    ],
  ]),
};

/** Fixed names and times: ids of commits are then equal everywhere. */
const GIT_PRELUDE = String.raw`
export GIT_AUTHOR_DATE='2024-03-04T05:06:07Z' GIT_COMMITTER_DATE='2024-03-04T05:06:07Z'
export GIT_EDITOR=true GIT_PAGER=cat LC_ALL=C.UTF-8
`;

const REPOSITORY = String.raw`${GIT_PRELUDE}
git init -q .
printf 'one\n' > a.txt; git add .; git commit -qm first; git tag v1
printf 'one\ntwo\n' > a.txt; printf 'b\n' > b.txt; git add .; git commit -qm second
git switch -qc side; printf 'side\n' > side.txt; git add .; git commit -qm side; git switch -q main
printf 'main\n' > main.txt; git add .; git commit -qm third
printf 'one\ntwo\nthree\n' > a.txt; git commit -qam fourth
`;

const GIT_READING: EverydayGroup = {
  name: "reading with git",
  needs: ["git"],
  fixture: REPOSITORY,
  prelude: GIT_PRELUDE,
  readsOnly: true,
  rows: rows([
    ["status", "git status --short --branch"],
    ["log", "git log --oneline --graph --all"],
    ["log-patch", "git log -p -1"],
    ["log-stat", "git log --stat --format=%H"],
    ["show", "git show --stat HEAD~1"],
    ["show-file", "git show side:side.txt"],
    ["diff-none", "git diff --exit-code"],
    ["diff-commits", "git diff v1..HEAD -- a.txt"],
    ["diff-stat", "git diff --stat v1 side"],
    ["blame", "git blame -s a.txt"],
    ["branch-list", "git branch -a -v"],
    ["tag-list", "git tag -l -n"],
    ["rev-parse", "git rev-parse HEAD v1 side"],
    ["describe", "git describe --tags"],
    ["grep", "git grep -n one"],
    ["ls-files", "git ls-files -s"],
    ["ls-tree", "git ls-tree -r HEAD"],
    ["cat-file", "git cat-file -p HEAD"],
    ["shortlog", "git shortlog -sn HEAD"],
    ["merge-base", "git merge-base main side"],
    ["config-read", "git config --get user.name"],
    ["archive", "git archive HEAD | tar -t"],
    ["fsck", "git fsck --strict"],
    ["count-objects", "git count-objects", CODE_ONLY],
    ["check-ignore", "git check-ignore -q a.txt", { exit: 1 }],
    ["reflog", "git reflog -3 --format=%gs"],
    ["name-rev", "git name-rev --name-only HEAD~2"],
    ["whatchanged", "git log --diff-filter=A --name-only --format="],
  ]),
};

const GIT_WRITING: EverydayGroup = {
  name: "writing with git",
  needs: ["git"],
  fixture: REPOSITORY,
  prelude: GIT_PRELUDE,
  rows: rows([
    ["init", "mkdir n && cd n && git init -q && git symbolic-ref HEAD"],
    [
      "init-commit",
      "mkdir n && cd n && git init -q && echo x > f && git add f && git commit -qm x && git rev-parse HEAD",
    ],
    ["add", "echo n > n.txt && git add n.txt && git status --short"],
    [
      "add-patch",
      "echo more >> a.txt && printf 'y\\n' | git add -p a.txt > /dev/null && git status --short",
    ],
    ["commit", "echo n > n.txt && git add n.txt && git commit -qm new && git rev-parse HEAD"],
    ["commit-all", "echo x >> a.txt && git commit -qam edit && git log -1 --format=%H"],
    ["commit-amend", "git commit -q --amend -m amended && git rev-parse HEAD"],
    [
      "commit-editor",
      "echo x >> b.txt; git commit -qa -F - <<< 'from stdin'; git log -1 --format=%B",
    ],
    ["branch", "git branch topic && git branch --list topic"],
    ["branch-rename", "git branch -m side renamed && git branch --list"],
    ["branch-delete", "git branch -D side && git branch --list"],
    ["switch", "git switch -q side && ls"],
    ["switch-create", "git switch -qc topic && git branch --show-current"],
    ["checkout-file", "echo bad > a.txt && git checkout -q -- a.txt && cat a.txt"],
    ["checkout-detached", "git checkout -q v1 && git rev-parse HEAD && ls"],
    ["restore", "git rm -q --cached b.txt && git restore --staged b.txt && git status --short"],
    ["merge", "git merge -q --no-edit side && git rev-parse HEAD && ls"],
    ["merge-squash", "git merge -q --squash side && git status --short"],
    [
      "merge-conflict",
      "git switch -qc c v1; echo x > a.txt; git commit -qam c; git merge -q main; git status --short",
    ],
    [
      "merge-abort",
      "git switch -qc c v1; echo x > a.txt; git commit -qam c; git merge -q main; git merge --abort && git status --short",
    ],
    ["rebase", "git switch -q side && git rebase -q main && git log --format=%s"],
    [
      "rebase-interactive",
      "GIT_SEQUENCE_EDITOR='sed -i 2s/pick/squash/' git rebase -qi HEAD~2 && git log --format=%s",
    ],
    [
      "rebase-abort",
      "git switch -qc c v1; echo x > a.txt; git commit -qam c; git rebase -q main; git rebase --abort; git log --format=%s",
    ],
    [
      "stash",
      "echo s >> a.txt && git stash -q && git status --short && git stash pop -q && git status --short",
    ],
    [
      "stash-list",
      "echo s >> a.txt && git stash push -qm note && git stash list && git stash drop -q",
    ],
    ["tag", "git tag -a v2 -m two && git cat-file -t v2 && git describe"],
    ["tag-delete", "git tag -d v1 && git tag -l"],
    ["cherry-pick", "git cherry-pick side && git log -1 --format=%H"],
    ["revert", "git revert --no-edit HEAD && git log -1 --format=%H"],
    ["reset-soft", "git reset -q --soft HEAD~1 && git status --short"],
    ["reset-hard", "git reset -q --hard v1 && ls && git rev-parse HEAD"],
    ["clean", "touch junk && git clean -fdq && ls"],
    ["mv-rm", "git mv a.txt z.txt && git rm -q b.txt && git commit -qm moved && git ls-files"],
    ["apply", "git diff v1 HEAD -- a.txt > p && git checkout -q v1 && git apply p && cat a.txt"],
    [
      "format-patch-am",
      "git format-patch -q -1 side --stdout > p && git am -q p && git log -1 --format=%H",
    ],
    [
      "bisect",
      "git bisect start HEAD v1 > b.log && git bisect run sh -c '! grep -q two a.txt' >> b.log; git rev-parse refs/bisect/bad; git bisect reset > b.log 2>&1",
    ],
    [
      "worktree",
      "git worktree add -q ../wt-$$ side && ls ../wt-$$ && git worktree remove ../wt-$$",
    ],
    [
      "worktree-commit",
      "git worktree add -q sub/wt side && cd sub/wt && echo w > w && git add w && git commit -qm w && git rev-parse HEAD",
    ],
    [
      "clone",
      "git clone -q . ../clone-$$ && git -C ../clone-$$ log --format=%H && rm -rf ../clone-$$",
    ],
    ["clone-bare", "git clone -q --bare . b.git && git -C b.git rev-parse HEAD"],
    ["clone-shallow", 'git clone -q --depth 1 "file://$PWD" sh && git -C sh log --format=%s'],
    [
      "push",
      "git init -q --bare r.git && git remote add origin ./r.git && git push -q -u origin main && git -C r.git rev-parse main",
    ],
    [
      "push-tags",
      "git init -q --bare r.git && git push -q ./r.git main --tags && git -C r.git tag",
    ],
    [
      "fetch",
      "git clone -q --bare . r.git && git clone -q r.git c && git push -q r.git side:other && cd c && git fetch -q && git branch -r",
    ],
    [
      "pull",
      "git clone -q --bare . r.git && git clone -q r.git c && echo x > x && git add x && git commit -qm x && git push -q r.git main && cd c && git pull -q && git rev-parse HEAD",
    ],
    ["remote", "git remote add up ./x && git remote -v && git remote remove up"],
    [
      "submodule",
      "git clone -q --bare . ../sub-$$.git && git -c protocol.file.allow=always submodule --quiet add ../sub-$$.git lib && git commit -qm sub && ls lib && rm -rf ../sub-$$.git",
      CODE_ONLY,
    ],
    ["gc", "git gc -q && git count-objects -v | grep in-pack"],
    ["repack", "git repack -qad && git fsck"],
    ["notes", "git notes add -m note && git notes show"],
    ["config-user", "git config user.email other@example.org && git config user.email"],
    [
      "bundle",
      "git bundle create -q x.bundle --all && git bundle verify -q x.bundle && git ls-remote x.bundle | wc -l",
    ],
    ["sparse-checkout", "git sparse-checkout set --no-cone a.txt && ls"],
    [
      "replay-orphan",
      "git switch -q --orphan empty && git commit -q --allow-empty -m e && git rev-parse HEAD",
    ],
    ["update-ref", "git update-ref refs/heads/u HEAD && git rev-parse u"],
    [
      "fast-export",
      "git fast-export --all > x && git init -q n && git -C n fast-import --quiet < x && git -C n rev-parse main",
    ],
    ["ignore-file", "echo '*.log' > .gitignore && touch a.log && git status --short"],
    ["own-commit", "echo n > n.txt && git add n.txt && git commit -qm new && git rev-parse HEAD", {
      ownWorkspace: true,
    }],
    [
      "own-switch-merge",
      "git switch -qc t && echo t > t && git add t && git commit -qm t && git switch -q main && git merge -q t && git branch -d t -q && git rev-parse HEAD",
      {
        ownWorkspace: true,
      },
    ],
    [
      "own-push-upstream",
      "git init -q --bare r.git && git remote add origin ./r.git && git push -q -u origin main && git config branch.main.remote",
      {
        ownWorkspace: true,
      },
    ],
    [
      "own-sub-directory",
      "mkdir -p deep/er && cd deep/er && echo x > f && git add f && git commit -qm deep && git log -1 --format=%H",
      {
        ownWorkspace: true,
      },
    ],
  ]),
};

export const SHELL_GROUPS: readonly EverydayGroup[] = [READING, WRITING, GIT_READING, GIT_WRITING];
