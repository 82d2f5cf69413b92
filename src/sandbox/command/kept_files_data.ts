/**
 * Names of the files in a workspace that commands may not change, by the directory that holds
 * them. The names are those of `src/util/protected_paths_data.ts`; a test holds both together.
 */
import type { ProtectedKind } from "../../util/protected_paths_data.ts";

/** What a directory holds, as far as kept files are concerned. */
export type KeptRole =
  /** A directory of the project: its root, or one deeper that holds kept files. */
  | "project"
  /** `.git` or a bare repository. */
  | "git"
  /** A repository below `modules` of another, or a directory on the way to one. */
  | "git module"
  /** What `git worktree add` makes below `worktrees`. */
  | "git worktree"
  /** `worktrees` itself. */
  | "git worktrees"
  | "git info"
  | "hooks"
  | "vscode"
  | "idea"
  | "devcontainer"
  | "github"
  /** Of servers that read what GitHub reads, under a name of their own. */
  | "gitea"
  | "ci actions"
  | "gitlab"
  /** Everything below is kept. */
  | "ci"
  | "instructions"
  | "run configurations";

export interface KeptNames {
  kind: ProtectedKind;
  /** Lower-case names of kept files; `all` is every name. */
  files: ReadonlySet<string> | "all";
  /** Lower-case names of directories that hold kept files. */
  directories: Readonly<Record<string, KeptRole>>;
  /** What every other directory is; undefined is of no interest. */
  others?: KeptRole;
}

const GIT_FILES = new Set(["config", "config.worktree", "commondir", "gitdir"]);

const GIT_DIRECTORIES = {
  hooks: "hooks",
  info: "git info",
  modules: "git module",
  worktrees: "git worktrees",
} as const;

function named(kind: ProtectedKind, names: string): Record<string, ProtectedKind> {
  return Object.fromEntries(names.split(" ").map((name) => [name, kind]));
}

/** Kept files of a project by their lower-case names. Of environment files only what runs. */
export const PROJECT_FILES: Readonly<Record<string, ProtectedKind>> = {
  ...named(
    "instructions",
    "agents.md agents.override.md agents.local.md claude.md claude.local.md gemini.md soul.md " +
      "hermes.md .hermes.md .cursorrules .windsurfrules .clinerules .roorules .goosehints " +
      ".aider.conf.yml",
  ),
  ...named(
    "editor settings",
    ".mcp.json .devcontainer.json .exrc .nvimrc .nvim.lua .vimrc .dir-locals.el",
  ),
  ...named(
    "ci settings",
    ".gitlab-ci.yml jenkinsfile azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml " +
      "cloudbuild.yml cloudbuild.yaml cloudbuild.json buildspec.yml buildspec.yaml appveyor.yml " +
      ".appveyor.yml .travis.yml .cirrus.yml .cirrus.star .drone.yml .drone.yaml .woodpecker.yml " +
      ".woodpecker.yaml .build.yml",
  ),
  ".envrc": "env file",
};

export const KEPT_NAMES: Readonly<Record<KeptRole, KeptNames>> = {
  project: {
    kind: "instructions",
    files: new Set(Object.keys(PROJECT_FILES)),
    directories: {
      ".git": "git",
      ".vscode": "vscode",
      ".idea": "idea",
      ".devcontainer": "devcontainer",
      ".github": "github",
      ".gitea": "gitea",
      ".forgejo": "gitea",
      ".gitlab": "gitlab",
      ".circleci": "ci",
      ".buildkite": "ci",
      ".woodpecker": "ci",
      ".teamcity": "ci",
      ".azure-pipelines": "ci",
      ".semaphore": "ci",
      ".tekton": "ci",
      ".builds": "ci",
      ".hermes": "instructions",
      ".claude": "instructions",
      ".codex": "instructions",
      ".gemini": "instructions",
      ".cursor": "instructions",
      ".windsurf": "instructions",
      ".clinerules": "instructions",
      ".roo": "instructions",
      ".kiro": "instructions",
      ".junie": "instructions",
      ".continue": "instructions",
    },
  },
  git: { kind: "git settings", files: GIT_FILES, directories: GIT_DIRECTORIES },
  "git module": {
    kind: "git settings",
    files: GIT_FILES,
    directories: GIT_DIRECTORIES,
    others: "git module",
  },
  "git worktree": { kind: "git settings", files: GIT_FILES, directories: GIT_DIRECTORIES },
  "git worktrees": {
    kind: "git settings",
    files: new Set(),
    directories: {},
    others: "git worktree",
  },
  "git info": { kind: "git settings", files: new Set(["attributes"]), directories: {} },
  hooks: { kind: "git settings", files: "all", directories: {}, others: "hooks" },
  vscode: {
    kind: "editor settings",
    files: new Set(["tasks.json", "settings.json", "launch.json", "mcp.json"]),
    directories: {},
  },
  idea: {
    kind: "editor settings",
    files: new Set(["workspace.xml", "externaldependencies.xml"]),
    directories: { runconfigurations: "run configurations" },
  },
  "run configurations": {
    kind: "editor settings",
    files: "all",
    directories: {},
    others: "run configurations",
  },
  devcontainer: {
    kind: "editor settings",
    files: new Set(["devcontainer.json"]),
    directories: {},
    others: "devcontainer",
  },
  github: {
    kind: "instructions",
    files: new Set(["copilot-instructions.md"]),
    directories: { instructions: "instructions", workflows: "ci", actions: "ci actions" },
  },
  gitea: {
    kind: "ci settings",
    files: new Set(),
    directories: { workflows: "ci", actions: "ci actions" },
  },
  "ci actions": {
    kind: "ci settings",
    files: new Set(["action.yml", "action.yaml"]),
    directories: {},
    others: "ci actions",
  },
  gitlab: { kind: "ci settings", files: new Set(), directories: { ci: "ci" } },
  ci: { kind: "ci settings", files: "all", directories: {}, others: "ci" },
  instructions: { kind: "instructions", files: "all", directories: {}, others: "instructions" },
};

/** Large parts of a repository, in which no other repository lies. */
export const GIT_STORES: ReadonlySet<string> = new Set(
  "objects refs logs lfs rr-cache branches rebase-merge rebase-apply sequencer".split(" "),
);

/** Directories that the search for kept files deeper in a project leaves out: packages of others. */
export const UNSEARCHED: ReadonlySet<string> = new Set(
  "node_modules site-packages __pycache__".split(" "),
);

/** A larger file is not remembered: a change of it is told, and stays. */
export const FILE_BYTES_MAX = 1024 * 1024;

/** What is remembered in all. */
export const TOTAL_BYTES_MAX = 16 * 1024 * 1024;

/** Files and directories that are looked at after each command. */
export const ENTRIES_MAX = 2000;

/** Directories of a project in which kept files are searched for. */
export const SEARCHED_MAX = 5000;

/** Copies of removed and replaced files that stay in the store. */
export const COPIES_MAX = 200;
