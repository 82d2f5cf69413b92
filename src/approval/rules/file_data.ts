/** Deleting, permissions, and writing to places that matter: each needs a yes. */
import { canonicalPath, deleteTarget } from "../paths.ts";
import {
  deletes,
  destinations,
  editedInPlace,
  given,
  mirrors,
  operands,
  redirectsTo,
  type Rule,
  touches,
} from "../rule.ts";
import { isWithin } from "../../util/path.ts";
import type { Invocation } from "../invocation.ts";

const COPIERS = ["cp", "mv", "install", "ln", "rsync", "scp", "curl", "wget"];
const EDITORS = ["sed", "gsed", "perl", "ruby"];

/** `777`, `0666`, `o+w`, `g+r,a+rw`: others may write afterwards. */
function opensToOthers(mode: string): boolean {
  if (/^[0-7]{3,5}$/.test(mode)) return (Number(mode.at(-1)) & 2) !== 0;
  return mode.split(",").some((clause) => {
    const who = /^[ugoa]*/.exec(clause)![0];
    return /[oa]/.test(who) && /[+=][rxXst]*w/.test(clause.slice(who.length));
  });
}

/** The mode of chmod; one that starts with a dash was read as an option and closes, not opens. */
function chmodMode(command: Invocation): string {
  return operands(command)[0] ?? "";
}

function deletesOutside(command: Invocation): boolean {
  const { cwd } = command.place;
  return operands(command).some((path) => {
    if (deleteTarget(path, command.place) !== "absolute") return false;
    return cwd === undefined || cwd === "/" ||
      !isWithin(canonicalPath(path, command.place), canonicalPath(cwd, command.place));
  });
}

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

const MAKES_EXECUTABLE = /^(?:[ugoa]*\+[rwxXst]*x|0?[0-7]*[1357][0-7]{0,2})/;

export const FILE_RULES: readonly Rule[] = [
  {
    key: "delete in root path",
    kind: "dangerous",
    description: "deletes outside the project, by an absolute path",
    programs: ["rm", "shred", "unlink"],
    test: deletesOutside,
    match: ["rm /var/log/a.log", "rm -f /opt/x"],
    noMatch: ["rm readme.txt", "rm -f /tmp/out.log"],
  },
  {
    key: "recursive delete",
    aliases: ["recursive delete (long flag)", "recursive delete (flags after operands)"],
    kind: "dangerous",
    description: "deletes whole directories",
    programs: ["rm", "srm"],
    test: (command) => given(command, "r", "R", "recursive"),
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
    key: "world/other-writable permissions",
    aliases: ["recursive world/other-writable (long flag)"],
    kind: "dangerous",
    description: "lets every user change the files",
    programs: ["chmod"],
    test: (command) => opensToOthers(chmodMode(command)),
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
    ],
    noMatch: ["chmod 755 f", "chmod +x f", "chmod o-w f", "chmod u+w f", "chmod 1750 f"],
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
    key: "overwrite system config",
    kind: "dangerous",
    description: "writes to system configuration",
    redirections: true,
    test: (command) => redirectsTo(command, "system"),
    match: ["echo x > /etc/hosts", "echo x > /private/etc/sudoers", "echo x >> /etc/fstab"],
    noMatch: ["cat /etc/hosts", "echo 'see /private/etc > there'", "diff a /etc/hosts > out"],
  },
  {
    key: "overwrite system file via tee",
    kind: "dangerous",
    description: "overwrites system configuration or credentials",
    programs: ["tee", "sponge", "truncate"],
    test: (command) => touches(command, operands(command), "system", "credentials", "hermes"),
    match: [
      "echo x | tee /etc/passwd",
      "echo x | tee ~/.ssh/authorized_keys",
      "echo x | tee $HERMES_HOME/.env",
      "echo x | sudo tee -a /etc/hosts",
      "truncate -s 0 /etc/passwd",
    ],
    noMatch: ["ls | tee /tmp/o.txt"],
  },
  {
    key: "overwrite system file via redirection",
    kind: "dangerous",
    description: "writes to credentials, SSH files or shell start-up files",
    redirections: true,
    test: (command) => redirectsTo(command, "credentials", "hermes"),
    match: [
      "echo x >> ~/.bashrc",
      "echo x > ~/.npmrc",
      "echo x > ~/.hermes/.env",
      "echo x >> $HOME/.ssh/authorized_keys",
    ],
    noMatch: ["cp ~/.ssh/config /tmp/x", "cat ~/.bashrc > copy.txt"],
  },
  {
    key: "overwrite project env/config via tee",
    kind: "dangerous",
    description: "writes to the project's environment or config file with tee",
    programs: ["tee", "sponge"],
    test: (command) => touches(command, operands(command), "project"),
    match: ["echo x | tee .env backup"],
    noMatch: ["echo x | tee out.txt"],
  },
  {
    key: "overwrite project env/config via redirection",
    kind: "dangerous",
    description: "writes to the project's environment or config file",
    redirections: true,
    test: (command) => redirectsTo(command, "project"),
    match: [
      "echo x > .env",
      "echo x > .env.production",
      "echo x > deploy/config.yaml",
      "cat > .env << EOF\nA=1\nEOF",
    ],
    noMatch: [
      "echo x > config.yaml.bak",
      "echo x > .env#backup",
      "cat .env > b.txt",
      "echo A= > .env.example",
    ],
  },
  {
    key: "copy/move file into system config path",
    kind: "dangerous",
    description: "puts a file into system configuration",
    programs: COPIERS,
    test: (command) => touches(command, destinations(command), "system"),
    match: [
      "cp evil /etc/hosts",
      "mv a /etc/b",
      "sudo install -m 644 x /etc/systemd/system/",
      "curl -o /etc/x u",
    ],
    noMatch: ["cp /etc/hosts .", "cp -r /etc/nginx ./backup"],
  },
  {
    key: "overwrite project env/config file",
    kind: "dangerous",
    description: "replaces the project's environment or config file",
    programs: COPIERS,
    test: (command) => touches(command, destinations(command), "project"),
    match: [
      "cp .env.local .env",
      "mv t.yaml config/config.yaml",
      "install -m600 t .env.production",
      "cp ../.env .",
    ],
    noMatch: ["cp config.yaml backup.yaml", "cp .env /tmp/saved"],
  },
  {
    key: "copy/move file into credential/SSH/shell-rc path",
    kind: "dangerous",
    description: "puts a file where credentials or shell start-up files live",
    programs: COPIERS,
    test: (command) => touches(command, destinations(command), "credentials", "hermes"),
    match: [
      "cp k ~/.ssh/id_rsa",
      "install c ~/.netrc",
      "cp x ~/.hermes/config.yaml",
      "ln -sf x ~/.bashrc",
      "wget -O ~/.ssh/authorized_keys u",
    ],
    noMatch: ["cp a b", "cp ~/.bashrc ."],
  },
  {
    key: "in-place edit of sensitive credential/SSH/shell-rc path",
    aliases: ["in-place edit of sensitive credential/SSH/shell-rc path (long flag)"],
    kind: "dangerous",
    description: "edits credentials, SSH files or shell start-up files",
    programs: EDITORS,
    test: (command) => touches(command, editedInPlace(command), "credentials"),
    match: [
      "sed -i s/a/b/ ~/.bashrc",
      "sed --in-place s/a/b/ ~/.ssh/x",
      "perl -i -pe 's/a/b/' ~/.netrc",
      "sed -i.bak -e s/a/b/ ~/.zshrc",
    ],
    noMatch: ["sed -i s/a/b/ notes.txt", "sed s/a/b/ ~/.bashrc"],
  },
  {
    key: "in-place edit of system config",
    aliases: ["in-place edit of system config (long flag)"],
    kind: "dangerous",
    description: "edits system configuration",
    programs: EDITORS,
    test: (command) => touches(command, editedInPlace(command), "system"),
    match: ["sed -i s/a/b/ /etc/hosts", "sudo sed --in-place s/a/b/ /etc/ssh/sshd_config"],
    noMatch: ["sed -n 1p /etc/hosts"],
  },
  {
    key: "in-place edit of Hermes config/env",
    aliases: ["in-place edit of Hermes config/env (long flag)"],
    kind: "dangerous",
    description: "edits the settings or secrets of Hermes",
    programs: EDITORS,
    test: (command) => touches(command, editedInPlace(command), "hermes"),
    match: ["sed -i s/a/b/ ~/.hermes/config.yaml", "perl -i -pe 's/a/b/' $HERMES_HOME/.env"],
    noMatch: ["sed -i s/a/b/ /srv/app/config.yaml", "cat ~/.hermes/config.yaml"],
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
    programs: ["find"],
    test: ({ args }) => args.includes("-delete"),
    match: ["find . -delete", "find . -name '*.o' -delete"],
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
      const [mode = "", ...files] = operands(command);
      if (!MAKES_EXECUTABLE.test(mode)) return false;
      const run = executedFiles(all);
      return files.some((file) => run.has(canonicalPath(file, command.place)));
    },
    match: ["chmod +x a.sh && ./a.sh", "chmod +x a.sh; ./a.sh", "chmod 755 a.sh && ./a.sh"],
    noMatch: ["chmod +x a.sh", "chmod +x a.sh && ls ./a.sh"],
  },
];
