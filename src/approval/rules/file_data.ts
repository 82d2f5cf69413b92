/** Deleting, permissions, and writing to places that matter: each needs a yes. */
import { canonicalPath } from "../shell/paths.ts";
import { deletes, given, isBuildStep, mirrors, operands, type Rule } from "./rule.ts";
import type { Invocation } from "../shell/invocation.ts";
import { makesExecutable, modeTargets, opensToOthers } from "../modes.ts";

const POWERFUL_PROGRAM =
  /^\/(?:usr\/)?(?:local\/)?s?bin\/(?:\w{0,4}sh|rm|dd|shred|unlink|find|xargs|env|busybox|sudo|su|mkfs\S*|kill|nc|curl|wget|mv|cp|tee|truncate)$/;

const executed = new WeakMap<readonly Invocation[], Set<string>>();

/** Files run by path, computed once for a whole script. */
function executedFiles(all: readonly Invocation[]): Set<string> {
  let files = executed.get(all);
  if (files === undefined) {
    files = new Set(
      all.filter(({ path }) => path.includes("/"))
        .map(({ path, place }) => canonicalPath(path, place)),
    );
    executed.set(all, files);
  }
  return files;
}

export const FILE_RULES: readonly Rule[] = [
  {
    key: "recursive delete",
    aliases: ["recursive delete (long flag)", "recursive delete (flags after operands)"],
    kind: "dangerous",
    description: "deletes whole directories",
    programs: ["rm", "srm"],
    test: (command) => given(command, "r", "R", "recursive") && !isBuildStep(command),
    match: [
      "rm -rf build",
      "rm -irf d",
      "rm --recursive x",
      "rm build/ -rf",
      "rm a b --recursive --force",
      "ls | xargs rm -r",
    ],
    noMatch: ["rm -f readme.txt", "rm run.sh", "rm -- -rf", 'git commit -m "rm -rf x"'],
  },
  {
    key: "delete everything here",
    kind: "dangerous",
    description: "deletes or empties every file of a directory",
    programs: ["rm", "truncate", "shred", "unlink", "tee"],
    test: (command) =>
      !isBuildStep(command) &&
      operands(command).some((path) =>
        /^(?:.*\/)?(?:\*|\.\*|\.\[[^\]]{0,20}\]\*|\{\*,\.\*\})$/.test(path)
      ),
    match: ["rm *", "rm -f ./*", "rm data/*", "truncate -s 0 *"],
    noMatch: ["rm *.tmp", "rm a b", "rm -f build/*.o"],
  },
  {
    key: "program under another name",
    kind: "dangerous",
    description: "makes a shell or a deleting program available under another name",
    programs: ["cp", "ln", "mv", "install"],
    test: (command) =>
      operands(command).slice(0, -1).some((path) =>
        POWERFUL_PROGRAM.test(canonicalPath(path, command.place)) ||
        // A link's target is seen from where the link is.
        POWERFUL_PROGRAM.test(path.replace(/^(?:\.\.\/+)+/, "/"))
      ) || command.inner.some(({ program }) => /^(?:which|command|type|whereis)$/.test(program)),
    match: ["cp /bin/rm z", "ln -s /bin/bash z", "cp $(which rm) z", "ln -s /../usr//bin/rm b/ls"],
    noMatch: ["ln -sf /usr/bin/python3 python", "cp a b", "cp /usr/bin/ldd ."],
  },
  {
    key: "world/other-writable permissions",
    aliases: ["recursive world/other-writable (long flag)"],
    kind: "dangerous",
    description: "lets every user change the files",
    programs: ["chmod", "install", "mkdir", "mkfifo", "mknod", "rsync", "tar"],
    test: opensToOthers,
    match: [
      "chmod 777 f",
      "chmod -R 777 .",
      "chmod o+w f",
      "chmod a+rw f",
      "chmod 666 f",
      "chmod 0777 f",
      "chmod --recursive a+rwx d",
      "chmod --recursive g+r,a+rw d",
      "chmod -v --recursive o+w d",
      "install -m 777 a b",
      "mkdir -m 777 d",
      "chmod a-x+w f",
      "chmod o=u f",
      "chmod =0666 f",
      "chmod -x,o+w f",
    ],
    noMatch: [
      "chmod 755 f",
      "chmod +x f",
      "chmod o-w f",
      "chmod u+w f",
      "chmod 1750 f",
      "chmod go=u-w f",
      "chmod a+w-w f",
    ],
  },
  {
    key: "recursive chown to root",
    aliases: ["recursive chown to root (long flag)"],
    kind: "dangerous",
    description: "gives a whole directory to root",
    programs: ["chown"],
    test: (command) =>
      given(command, "R", "recursive") && /^(?:root|0)(?:[:.]|$)/.test(operands(command)[0] ?? ""),
    match: ["chown -R root:root .", "chown --recursive root ."],
    noMatch: ["chown -R me .", "chown root f"],
  },
  {
    key: "recursive permission change of system directory",
    kind: "dangerous",
    description: "changes owner or permissions of the system or a home as a whole",
    programs: ["chmod", "chown", "chgrp"],
    test: (command) =>
      given(command, "R", "recursive") && deletes(command, "root", "system", "home"),
    match: ["chmod -R 755 /", "chown -R me /usr", "chmod -R u+w ~"],
    noMatch: ["chmod -R 755 dist", "chown -R me ~/project"],
  },
  {
    key: "disk copy",
    kind: "dangerous",
    description: "copies raw bytes with dd",
    programs: ["dd"],
    test: ({ args }) => args.some((arg) => arg.startsWith("if=")),
    match: ["dd if=/dev/zero of=./img"],
    noMatch: ["dd of=x"],
  },
  {
    key: "xargs with rm",
    kind: "dangerous",
    description: "deletes whatever a list names",
    programs: ["rm", "shred", "unlink"],
    test: ({ via }) => via.includes("xargs") || via.includes("parallel"),
    match: ["ls | xargs rm", "ls | xargs -n1 rm -f", "ls | xargs -0 -I{} rm {}"],
    noMatch: ["ls | xargs echo", "ls | xargs grep rm"],
  },
  {
    key: "find -exec/-execdir rm",
    aliases: ["find"],
    kind: "dangerous",
    description: "deletes whatever find matches",
    programs: ["rm", "shred", "unlink"],
    test: ({ via }) => via.includes("find"),
    match: ["find . -exec rm {} \\;", "find . -exec /usr/bin/rm {} +", "find . -execdir rm {} \\;"],
    noMatch: ["find . -execdir ls {} \\;", "find . -print"],
  },
  {
    key: "find -delete",
    aliases: ["find"],
    kind: "dangerous",
    description: "deletes whatever find matches",
    programs: ["find", "fd", "fdfind"],
    test: ({ program, args }) =>
      program === "find"
        ? args.includes("-delete")
        : args.some((arg, i) =>
          /^(?:rm|shred|unlink|truncate)$/.test(arg) &&
          /^(?:-[xX]|--exec(?:-batch)?)$/.test(args[i - 1] ?? "")
        ),
    match: ["find . -delete", "find . -name '*.o' -delete", "fd -e o -X rm"],
    noMatch: ["find . -name '*.delete'"],
  },
  {
    key: "rsync --delete",
    kind: "dangerous",
    description: "deletes what the source does not have",
    programs: ["rsync"],
    test: mirrors,
    match: ["rsync -a --delete a/ b/", "rsync --delete-after -av a host:b"],
    noMatch: ["rsync -an --delete a/ b/", "rsync -av a/ b/"],
  },
  {
    key: "chmod +x followed by immediate execution",
    kind: "dangerous",
    description: "makes a file executable and runs it at once",
    programs: ["chmod"],
    test: (command, all) => {
      if (!makesExecutable(command)) return false;
      const run = executedFiles(all);
      return modeTargets(command).some((file) => run.has(canonicalPath(file, command.place)));
    },
    match: [
      "chmod +x a.sh && ./a.sh",
      "chmod +x a.sh; ./a.sh",
      "chmod 755 a.sh && ./a.sh",
      "chmod u-w+x a.sh && ./a.sh",
    ],
    noMatch: ["chmod +x a.sh", "chmod +x a.sh && ls ./a.sh"],
  },
];
