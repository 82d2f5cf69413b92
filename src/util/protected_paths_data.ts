/**
 * The one list of files that need care: what holds credentials, what runs later by itself, what
 * tells agents what to do, what belongs to the system. File tools and the approval rules read it.
 */

import { HOME_CREDENTIALS, HOME_HISTORIES, SYSTEM_SECRET_PLACES } from "./secret_places_data.ts";

/** What a protected file is; each kind has one row in `PROTECTION`. */
export type ProtectedKind =
  | "trusted base"
  | "credentials"
  | "history"
  | "system"
  | "startup"
  | "path program"
  | "git settings"
  | "editor settings"
  | "ci settings"
  | "env file"
  | "instructions"
  | "ssh config";

/** `refuse`: never by a tool. `ask`: only after a person's yes. `free`: no question. */
export type Protection = "free" | "ask" | "refuse";

export interface ProtectionRule {
  read: Protection;
  write: Protection;
  /** The approval rule's key and what it says to a person. */
  rule: string;
  description: string;
}

/** What reading and writing a file of each kind means. Shell commands never get less than `ask` here. */
export const PROTECTION: Readonly<Record<ProtectedKind, ProtectionRule>> = {
  "trusted base": {
    read: "free",
    write: "refuse",
    rule: "trusted_base_write",
    description: "changes what hermes itself trusts: its home, its program or its caches",
  },
  credentials: {
    read: "refuse",
    write: "refuse",
    rule: "credential_file",
    description: "touches a file that holds credentials",
  },
  history: {
    read: "ask",
    write: "ask",
    rule: "history_file",
    description: "touches a shell or database history, which may hold passwords",
  },
  system: {
    read: "free",
    write: "refuse",
    rule: "system_file_write",
    description: "changes a file of the system",
  },
  startup: {
    read: "free",
    write: "ask",
    rule: "startup_file_write",
    description:
      "changes a file that runs by itself at log-in, at a shell's start or on a schedule",
  },
  "path program": {
    read: "free",
    write: "ask",
    rule: "path_program_write",
    description: "changes a program that later commands would run",
  },
  "git settings": {
    read: "free",
    write: "ask",
    rule: "git_settings_write",
    description: "changes git settings or hooks, which run programs later",
  },
  "editor settings": {
    read: "free",
    write: "ask",
    rule: "editor_settings_write",
    description: "changes settings that an editor executes when it opens the folder",
  },
  "ci settings": {
    read: "free",
    write: "ask",
    rule: "ci_settings_write",
    description: "changes what a build server runs",
  },
  "env file": {
    read: "refuse",
    write: "ask",
    rule: "env_file_write",
    description: "changes a file of environment variables and secrets",
  },
  instructions: {
    read: "free",
    write: "ask",
    rule: "instruction_file_write",
    description: "changes the instructions that agents follow",
  },
  "ssh config": {
    read: "free",
    write: "ask",
    rule: "ssh_config_write",
    description: "changes how ssh connects",
  },
};

export interface ProtectedRow {
  kind: ProtectedKind;
  /** Lower-case; matched against the path below the user's home, or the absolute path. */
  pattern: RegExp;
}

/** The pattern for the places of a list, as paths below a home in lower case. */
function belowHome(places: readonly string[]): RegExp {
  const parts = places.map((place) =>
    place.endsWith("/") ? `${escaped(place.slice(0, -1))}(?:/|$)` : `${escaped(place)}$`
  );
  return new RegExp(`^(?:${parts.join("|")})`);
}

function escaped(place: string): string {
  return place.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Below the user's home (and, for shell commands, below any other user's home). First match wins. */
export const HOME_ROWS: readonly ProtectedRow[] = [
  { kind: "ssh config", pattern: /^\.ssh\/config$/ },
  // Readable halves of `.ssh`; writing them still changes who may log in.
  {
    kind: "startup",
    pattern: /^\.ssh\/(?:known_hosts(?:\.old)?|authorized_keys2?|environment|rc|[^/]+\.pub)$/,
  },
  // `.aws/config` names no key; the rest of `.aws` does.
  { kind: "startup", pattern: /^\.aws\/config$/ },
  { kind: "credentials", pattern: belowHome(HOME_CREDENTIALS) },
  // Settings that name programs: credential helpers, plugins of docker and kubectl.
  { kind: "startup", pattern: /^\.(?:aws|docker|kube)(?:\/|$)/ },
  { kind: "history", pattern: belowHome(HOME_HISTORIES) },
  {
    kind: "startup",
    pattern:
      /^\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|bash_completion|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login|logout|inputrc|xinitrc|xsession|xsessionrc|xprofile|pam_environment|tmux\.conf|screenrc|vimrc|gvimrc|exrc|nanorc|emacs|gdbinit|lldbinit|pythonrc|pythonstartup|irbrc|psqlrc|sqliterc|curlrc|wgetrc|pryrc|rprofile|mailcap|lesskey|dircolors|digrc)$/,
  },
  {
    kind: "startup",
    pattern:
      /^\.(?:config\/(?:fish|autostart|systemd|environment\.d|nvim|pip|fontconfig\/conf\.d|plasma-workspace|direnv|starship\.toml|zsh|bash|nushell|xonsh|powershell|tmux|kitty|alacritty|wezterm|ghostty|helix|emacs|zed|mise|i3|sway|hypr|openbox|code\/user|vscodium\/user|cursor\/user)|vim|emacs\.d|oh-my-zsh|zsh|bash_completion\.d|bashrc\.d|zshrc\.d|profile\.d|zfunc|tmux|ipython|jupyter|julia\/config|local\/share\/(?:systemd|applications|dbus-1|nautilus\/scripts))(?:\/|$)/,
  },
  // Read by tools of developers, which then run what these files name.
  {
    kind: "startup",
    pattern:
      /^\.(?:cargo\/(?:config(?:\.toml)?|env)|gradle\/init(?:\.gradle(?:\.kts)?$|\.d\/.*)|mavenrc|yarnrc|bunfig\.toml|condarc|asdfrc|pydistutils\.cfg|hgrc|subversion\/.*|ghci|guile|forward|procmailrc|rhosts|shosts|k5login|xbindkeysrc|xresources|xdefaults|wezterm\.lua|xonshrc|claude\.json|local\/lib\/python[^/]*\/site-packages\/[^/]*(?:\.pth|customize\.py))$/s,
  },
  { kind: "startup", pattern: /^library\/launch(?:agents|daemons)(?:\/|$)/ },
  { kind: "git settings", pattern: /^(?:\.gitconfig|\.config\/git(?:\/.*)?|\.gitattributes)$/s },
  {
    kind: "path program",
    pattern:
      /^(?:\.local\/bin|bin|\.cargo\/bin|go\/bin|\.deno\/bin|\.bun\/bin|\.npm-global\/bin|\.pyenv\/shims|\.rbenv\/shims|\.asdf\/shims|\.nvm|\.volta\/bin)(?:\/|$)/,
  },
];

/** Anywhere on the disk; matched against the whole lower-case path. First match wins. */
export const ANYWHERE_ROWS: readonly ProtectedRow[] = [
  // Private directories of a running hermes: shells and children load what they hold.
  {
    kind: "trusted base",
    pattern: /\/hermes-(?:(?:env|child|ssh)-\d+|remote|plugin-test)-[^/]+(?:\/|$)/,
  },
  {
    kind: "env file",
    pattern: /\/(?:\.env(?:\.(?!(?:example|sample|template|dist|defaults?)$)[\w-]+)*|\.envrc)$/,
  },
  { kind: "credentials", pattern: /\/id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/ },
  // A `.git` file names another repository; bare ones are called `name.git`.
  {
    kind: "git settings",
    pattern:
      /\/\.git$|\.git\/(?:hooks(?:\/|$)|config(?:\.worktree)?$|info\/attributes$|commondir$|gitdir$)/,
  },
  // Of submodules and worktrees. Anchored, so that a long path takes no longer than its length.
  {
    kind: "git settings",
    pattern:
      /^(?=.*\.git\/(?:modules|worktrees)\/).*\/(?:hooks(?:\/|$)|config(?:\.worktree)?$|info\/attributes$|commondir$|gitdir$)/s,
  },
  { kind: "editor settings", pattern: /^(?=.*\/\.devcontainer\/).*\/devcontainer\.json$/s },
  {
    kind: "editor settings",
    pattern:
      /\/\.(?:vscode\/(?:tasks|settings|launch|mcp)\.json|mcp\.json|devcontainer\.json|idea\/(?:workspace|externaldependencies)\.xml|idea\/runconfigurations\/.*|exrc|nvimrc|nvim\.lua|vimrc|dir-locals\.el)$/s,
  },
  // Names that build servers look for by themselves; what these files call is ordinary work.
  {
    kind: "ci settings",
    pattern:
      /\/(?:\.gitlab-ci\.yml|jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|cloudbuild\.(?:ya?ml|json)|buildspec\.ya?ml|\.?appveyor\.yml|\.travis\.yml|\.cirrus\.(?:yml|star)|\.(?:drone|woodpecker)\.ya?ml|\.build\.yml)$|\/\.(?:(?:github|gitea|forgejo)\/workflows|gitlab\/ci|circleci|buildkite|woodpecker|teamcity|azure-pipelines|semaphore|tekton|builds)\//,
  },
  {
    kind: "ci settings",
    pattern: /^(?=.*\/\.(?:github|gitea|forgejo)\/actions\/).*\/action\.ya?ml$/s,
  },
  {
    kind: "instructions",
    pattern:
      /\/(?:agents(?:\.override|\.local)?\.md|claude(?:\.local)?\.md|gemini\.md|soul\.md|hermes\.md|\.hermes\.md|\.cursorrules|\.windsurfrules|\.clinerules|\.roorules|\.goosehints|\.aider\.conf\.yml|\.github\/copilot-instructions\.md)$|\/\.(?:hermes|claude|codex|gemini|cursor|windsurf|clinerules|roo|kiro|junie|continue|github\/instructions)\//,
  },
  {
    kind: "system",
    pattern:
      /^\/(?:private\/)?(?:etc|boot|usr\/(?:s?bin|lib\w*|share|include)|s?bin|lib\w*|proc\/sys|sys|var\/(?:spool\/(?:cron|at|anacron)|lib\/(?:dpkg|rpm|systemd|docker)|db|root)|library|system|applications)(?:\/|$)|\/(?:docker|containerd|podman)\.sock$/,
  },
  {
    kind: "path program",
    pattern: /^\/(?:usr\/local|opt\/homebrew)\/(?:s?bin|lib\w*|etc)(?:\/|$)/,
  },
  { kind: "startup", pattern: /^\/run\/(?:user\/\d+\/)?systemd(?:\/|$)/ },
];

/** Files below the home of root or of anybody: `/root/.ssh`, `/home/x/.ssh`, `/Users/x/.ssh`. */
export const ANY_HOME = /^(?:\/root|\/home\/[^/]+|\/users\/[^/]+|\/var\/root)\/(.+)$/s;

/** System files that hold password hashes or host keys: not read without a yes. */
export const SYSTEM_SECRETS = new RegExp(
  `^(?:/private)?(?:${SYSTEM_SECRET_PLACES.map(escaped).join("|")}|/etc/ssh/ssh_host_[^/]+_key)`,
);

/** Directories below the user's home whose files are judged by identity too, not only by name. */
export const SECRET_DIRECTORIES: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".password-store",
  ".config/gcloud",
  ".config/gh",
  ".config/git",
  ".config/op",
];

/**
 * Files with keys in them that a hard link could show under another name: below the home, and
 * below each hermes home. Every file of the directories above counts as well.
 */
export const SECRET_FILES: readonly string[] = [
  ".netrc",
  ".pgpass",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".my.cnf",
  ".vault-token",
  ".cargo/credentials.toml",
];

/** Content that never ends, blocks its reader, or is not a file at all. */
export const DEVICE_FILES =
  /^\/dev(?:$|\/(?!shm\/))|^\/proc\/(?:kcore|kmsg|kpage\w+|sysrq-trigger|acpi\/event)$|^\/sys\/kernel\/(?:debug|tracing)(?:\/|$)/;

/** File systems of the kernel, whose files have no end or wait for events: never searched. */
export const KERNEL_FILES = /^\/(?:proc|sys)(?:\/|$)|^\/dev(?:$|\/(?!shm(?:\/|$)))/;

/** Their types, as Linux lists what is mounted. */
export const KERNEL_FILE_SYSTEMS: ReadonlySet<string> = new Set(
  ("proc sysfs devtmpfs devpts cgroup cgroup2 debugfs tracefs securityfs pstore bpf configfs " +
    "fusectl mqueue hugetlbfs binfmt_misc efivarfs autofs rpc_pipefs selinuxfs nsfs").split(" "),
);

/** Below `/proc`: another process's environment, memory, open files or command line. */
export const PROCESS_SECRETS =
  /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|cmdline|maps|smaps\w*|numa_maps|mem|auxv|pagemap|fd(?:\/|$)|fdinfo(?:\/|$)|map_files(?:\/|$)|root(?:\/|$)|cwd(?:\/|$)|syscall|stack)/;

/** Below the hermes home: what holds keys and tokens, never shown. */
export const HERMES_SECRETS =
  /^(?:\.env|seal\.key|auth\.json|auth\.lock|\.anthropic_oauth\.json|webhook_subscriptions\.json|auth\/.*|cache\/bws_cache\.json)$|^(?:mcp-tokens|skills\/\.hub|pairing)(?:\/|$)/s;
