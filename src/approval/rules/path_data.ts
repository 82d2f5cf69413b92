/**
 * Protected files, whatever program touches them: what hermes trusts, what holds secrets, what
 * runs later by itself, what belongs to the system. The list is `src/util/protected_paths_data.ts`.
 */
import { writtenBy } from "./effects.ts";
import type { Invocation } from "../shell/invocation.ts";
import { opensToAnybody } from "../modes.ts";
import { changes, changesMode, mayChange, reads } from "./protected_touches.ts";
import { type ProtectedKind, PROTECTION } from "../../util/protected_paths_data.ts";
import { basename } from "../../util/path.ts";
import { type Rule } from "./rule.ts";

const WRITES_OF_OLD = [
  "overwrite system file via redirection",
  "copy/move file into credential/SSH/shell-rc path",
  "in-place edit of sensitive credential/SSH/shell-rc path",
  "in-place edit of sensitive credential/SSH/shell-rc path (long flag)",
];
const PROJECT_OF_OLD = [
  "overwrite project env/config via tee",
  "overwrite project env/config via redirection",
  "overwrite project env/config file",
];

/** A rule about changing files of one kind, named and described by the shared list. */
function writeRule(
  kind: ProtectedKind,
  more:
    & Pick<Rule, "match" | "noMatch">
    & Partial<Pick<Rule, "aliases" | "once" | "everyTime" | "test" | "key">>,
): Rule {
  const { rule, description } = PROTECTION[kind];
  return {
    key: rule,
    kind: "dangerous",
    description,
    protects: [kind],
    test: (command) => changes(command, kind),
    ...more,
  };
}

/** `644`, `go+r`: others may read or write afterwards. */
function opensSecret(command: Invocation): boolean {
  if (!changesMode(command, "credentials", "env file", "history")) return false;
  if (command.args.some((arg) => arg.startsWith("/etc/"))) return true;
  if (command.program !== "chmod") return true;
  if (command.args.some((arg) => arg.startsWith("--reference"))) return true;
  return opensToAnybody(command);
}

export const PATH_RULES: readonly Rule[] = [
  writeRule("trusted base", {
    once: true,
    everyTime: true,
    test: (command) => changes(command, "trusted base") || mayChange(command, "trusted base"),
    match: [
      "echo x > ~/.hermes/config.yaml",
      "sed -i s/a/b/ ~/.hermes/config.yaml",
      "rm ~/.hermes/state.db",
      "cp x ~/.hermes/plugins/y/plugin.ts",
      "touch ~/.hermes/x",
      "tar xf x.tar -C ~/.hermes",
      "git -C ~/.hermes init",
    ],
    noMatch: ["cat ~/.hermes/config.yaml", "ls ~/.hermes", "sqlite3 ~/.hermes/state.db 'select 1'"],
  }),
  {
    key: "credential_file",
    kind: "dangerous",
    description: "reads a file that holds credentials, or passes it on",
    protects: ["credentials"],
    test: (command) => reads(command, "credentials"),
    match: [
      "cat ~/.ssh/id_rsa",
      "base64 ~/.aws/credentials",
      "tar cf k.tar ~/.ssh",
      "curl file:///etc/shadow",
      "dd if=$HOME/.ssh/id_rsa",
      "ln -s ~/.netrc notes",
      "docker run -v ~/.aws:/a img",
      "xxd < /proc/1/environ",
      "cat ~/.s*/id_rsa",
    ],
    noMatch: [
      "ls -la ~/.ssh",
      "cat ~/.ssh/id_rsa.pub",
      "cat ~/.ssh/config",
      "ssh -i ~/.ssh/id_rsa host ls",
      "chmod 600 ~/.ssh/id_rsa",
      "kubectl --kubeconfig ~/.kube/config get pods",
      "curl --netrc-file ~/.netrc https://x",
      "echo 'keys live in ~/.ssh/id_rsa'",
      "test -f ~/.aws/credentials",
    ],
  },
  writeRule("credentials", {
    key: "credential_file_write",
    aliases: WRITES_OF_OLD,
    match: ["cp k ~/.ssh/id_rsa", "rm ~/.netrc", "echo x > ~/.npmrc", "sed -i s/a/b/ ~/.pgpass"],
    noMatch: ["cp a b", "ls ~/.aws"],
  }),
  {
    key: "open credentials to others",
    kind: "dangerous",
    description: "lets other users read a file that holds secrets",
    protects: ["credentials", "env file", "history"],
    test: opensSecret,
    match: [
      "chmod 644 ~/.ssh/id_rsa",
      "chmod o+r .env",
      "chgrp users ~/.netrc",
      "chmod +r ~/.aws/credentials",
    ],
    noMatch: [
      "chmod 600 ~/.ssh/id_rsa",
      "chmod 700 ~/.ssh",
      "chmod u+rw .env",
      "chmod go-rwx .env",
    ],
  },
  {
    key: "env_file_read",
    kind: "dangerous",
    description: "reads a file of environment variables and secrets",
    protects: ["env file"],
    test: (command) => reads(command, "env file"),
    match: [
      "cat .env",
      "rev .env",
      "grep KEY < .env.production",
      "source .env",
      "git add .env",
      "python3 x.py .env",
    ],
    noMatch: [
      "cat .env.example",
      "ls -la .env",
      "[ -f .env ]",
      "git rm --cached .env",
      "grep '.env' .gitignore",
      "echo .env >> .gitignore",
      "docker compose --env-file .env up",
      "curl https://x.example/.env.example",
      "git commit -m 'read .env first'",
    ],
  },
  writeRule("env file", {
    aliases: PROJECT_OF_OLD,
    match: ["echo x > .env", "cp .env.local .env", "echo x | tee .env backup", "echo x >> .envrc"],
    noMatch: ["echo A= > .env.example", "touch .env.local", "echo x > .env#backup"],
  }),
  {
    key: "overwrite project config file",
    aliases: PROJECT_OF_OLD,
    kind: "dangerous",
    description: "replaces the project's config file",
    redirections: true,
    programs: ["cp", "mv", "install", "ln", "rsync", "scp", "curl", "wget", "tee", "sponge"],
    test: (command) => writtenBy(command).some((path) => /^config\.ya?ml$/.test(basename(path))),
    match: [
      "echo x > deploy/config.yaml",
      "mv t.yaml config/config.yaml",
      "echo x | tee config.yml",
    ],
    noMatch: ["echo x > config.yaml.bak", "cp config.yaml backup.yaml", "cat config.yaml"],
  },
  {
    key: "history_file",
    kind: "dangerous",
    description: PROTECTION.history.description,
    protects: ["history"],
    test: (command) => reads(command, "history") || changes(command, "history"),
    match: [
      "cat ~/.bash_history",
      "> ~/.zsh_history",
      "rm ~/.bash_history",
      "ln -sf /dev/null ~/.bash_history",
    ],
    noMatch: ["history | tail", "ls ~/.bash_history"],
  },
  writeRule("system", {
    aliases: [
      "overwrite system config",
      "overwrite system file via tee",
      "copy/move file into system config path",
      "in-place edit of system config",
      "in-place edit of system config (long flag)",
    ],
    match: [
      "echo x > /etc/hosts",
      "echo x | sudo tee -a /etc/hosts",
      "cp evil /etc/cron.d/job",
      "sed -i s/a/b/ /etc/ssh/sshd_config",
      "truncate -s 0 /etc/passwd",
      "ln -sf /tmp/x /usr/bin/python3",
      "curl -o /etc/profile.d/x.sh u",
      "tar xf x.tar -C /etc",
      "gcc x.c -o /bin/ls",
      "echo 1 > /proc/sys/net/ipv4/ip_forward",
    ],
    noMatch: [
      "cat /etc/hosts",
      "cp /etc/hosts .",
      "sed -n 1p /etc/hosts",
      "diff a /etc/hosts > out",
      "cp -r /etc/nginx ./backup",
      "grep -o '/etc/[a-z]*' f",
      "echo 'see /etc > there'",
    ],
  }),
  writeRule("startup", {
    aliases: WRITES_OF_OLD,
    match: [
      "echo x >> ~/.bashrc",
      "sed -i s/a/b/ ~/.zshrc",
      "cp x.desktop ~/.config/autostart/",
      "cat k.pub >> ~/.ssh/authorized_keys",
      "vim ~/.profile",
    ],
    noMatch: ["cat ~/.bashrc", "source ~/.bashrc", "cp ~/.bashrc .", "mkdir -p ~/.config/fish"],
  }),
  writeRule("path program", {
    match: ["cp x ~/.local/bin/git", "ln -sf $PWD/x ~/bin/x", "curl -o /usr/local/bin/x u"],
    noMatch: ["ls ~/.local/bin", "~/.local/bin/tool --version", "chmod +x ~/.local/bin/x"],
  }),
  writeRule("git settings", {
    match: ["cp x .git/hooks/pre-commit", "echo x >> ~/.gitconfig", "sed -i s/a/b/ .git/config"],
    noMatch: ["cat .git/config", "ls .git/hooks", "cat ~/.gitconfig"],
  }),
  writeRule("editor settings", {
    match: ["cp tasks.json .vscode/tasks.json", "echo x > .vscode/settings.json"],
    noMatch: ["cat .vscode/settings.json", "echo x > .vscode/extensions.json"],
  }),
  writeRule("ci settings", {
    match: [
      "cp ci.yml .github/workflows/ci.yml",
      "sed -i s/a/b/ .gitlab-ci.yml",
      "echo x > Jenkinsfile",
      "tee .circleci/config.yml < x",
      "cp action.yml .github/actions/build/action.yml",
    ],
    noMatch: [
      "cat .github/workflows/ci.yml",
      "echo x > .github/dependabot.yml",
      "cp .travis.yml notes.yml",
    ],
  }),
  writeRule("instructions", {
    match: ["echo x >> AGENTS.md", "cp x CLAUDE.md", "sed -i s/a/b/ .cursorrules"],
    noMatch: ["cat AGENTS.md", "grep -n x CLAUDE.md"],
  }),
  writeRule("ssh config", {
    aliases: WRITES_OF_OLD,
    match: ["echo x >> ~/.ssh/config"],
    noMatch: ["cat ~/.ssh/config", "cp ~/.ssh/config /tmp/x"],
  }),
];
