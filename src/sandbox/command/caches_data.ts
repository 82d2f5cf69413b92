/**
 * Which variables move the cache of each tool into a directory of the project's own, how the tool
 * still reads what the person has already, and where that is. One row a tool.
 */

/** Below the cache directory of the person. */
export const PRIVATE_CACHES = "hermes/walls";

/** What a row may ask. */
export interface CacheContext {
  /** The project's own cache directory. */
  root: string;
  /** A variable that commands see, or an empty text. */
  env(name: string): string;
  /** A place below the home, when it exists; else an empty text. */
  there(place: string): string;
  /** A small text file below the home, or an empty text. */
  text(place: string): string;
}

export interface CacheRow {
  tool: string;
  /** What decides about the row. */
  why: string;
  /** Set where caches are private; an empty value sets nothing. */
  variables(context: CacheContext): Record<string, string>;
  /** The person's own, below the home: writable where caches are shared. */
  shared?: readonly string[];
}

function below(variables: Readonly<Record<string, string>>): CacheRow["variables"] {
  return ({ root }) =>
    Object.fromEntries(
      Object.entries(variables).map(([name, place]) => [name, `${root}/${place}`]),
    );
}

export const CACHE_ROWS: readonly CacheRow[] = [
  {
    tool: "tools of the XDG standard",
    why: "most tools that are not named below keep to it",
    variables: below({ XDG_CACHE_HOME: "xdg" }),
    shared: [".cache"],
  },
  {
    tool: "npm, npx",
    why: "the cache holds logs too, and npm fails where it cannot write them",
    variables: below({ npm_config_cache: "npm" }),
    shared: [".npm"],
  },
  {
    tool: "pnpm",
    why: "its store is below its home; npm warns of npm_config_store_dir at every start",
    variables: below({ PNPM_HOME: "pnpm" }),
    shared: [".local/share/pnpm/store", ".pnpm-store"],
  },
  {
    tool: "yarn",
    why: "one variable for both lines of yarn; the newer one also keeps a folder of its own",
    variables: below({ YARN_CACHE_FOLDER: "yarn", YARN_GLOBAL_FOLDER: "yarn-global" }),
    shared: [".yarn/berry", ".yarn-cache"],
  },
  {
    tool: "bun",
    why: "its cache is below its installation",
    variables: below({ BUN_INSTALL_CACHE_DIR: "bun" }),
    shared: [".bun/install/cache"],
  },
  {
    tool: "deno",
    why: "its cache of modules is believed by every later run; hermes from source uses the same",
    variables: below({ DENO_DIR: "deno" }),
    shared: [".deno/deps", ".deno/npm"],
  },
  {
    tool: "playwright, cypress",
    why: "browsers that are there are used; others are fetched into the project's own",
    variables: ({ there }) => ({
      PLAYWRIGHT_BROWSERS_PATH: there(".cache/ms-playwright"),
      CYPRESS_CACHE_FOLDER: there(".cache/Cypress"),
    }),
  },
  {
    tool: "pip, uv, ruff, pre-commit",
    why: "pip goes on without a cache, but fetches everything again each time",
    variables: below({ PIP_CACHE_DIR: "pip", UV_CACHE_DIR: "uv", PRE_COMMIT_HOME: "pre-commit" }),
  },
  {
    tool: "cargo",
    why: "works beside rustup, whose toolchains are in RUSTUP_HOME and are only read",
    variables: ({ root, env, there }) => ({
      CARGO_HOME: `${root}/cargo`,
      RUSTUP_HOME: env("RUSTUP_HOME") || there(".rustup"),
    }),
    shared: [
      ".cargo/registry",
      ".cargo/git",
      ".cargo/.package-cache",
      ".cargo/.package-cache-mutate",
      ".cargo/.global-cache",
    ],
  },
  {
    tool: "go",
    why: "modules that are there are taken from the person's cache, without the network",
    variables: ({ root, env, there, text }) => ({
      GOCACHE: `${root}/go-build`,
      // The first is written to, sums of modules included; a project may lie in another.
      GOPATH: [`${root}/go`, env("GOPATH") || there("go")].filter((path) => path !== "").join(":"),
      GOMODCACHE: `${root}/go/pkg/mod`,
      GOPROXY: goProxy({ set: env("GOPROXY"), file: text(".config/go/env"), there }),
    }),
    shared: ["go/pkg", ".cache/go-build"],
  },
  {
    tool: "gradle",
    why: "its home holds caches, downloads and a daemon's files; GRADLE_RO_DEP_CACHE reads others",
    variables: ({ root, there }) => ({
      GRADLE_USER_HOME: `${root}/gradle`,
      GRADLE_RO_DEP_CACHE: there(".gradle/caches/modules-2") === "" ? "" : there(".gradle/caches"),
    }),
    shared: [".gradle/caches", ".gradle/wrapper", ".gradle/daemon", ".gradle/native"],
  },
  {
    tool: "maven",
    why:
      "one option of the JVM for all versions; 3.9 and later read the person's repository behind",
    variables: ({ root, env, there }) => ({
      MAVEN_OPTS: [
        env("MAVEN_OPTS"),
        `-Dmaven.repo.local=${root}/maven`,
        there(".m2/repository") && `-Dmaven.repo.local.tail=${there(".m2/repository")}`,
      ].filter((part) => part !== "").join(" "),
    }),
    shared: [".m2/repository", ".m2/wrapper"],
  },
  {
    tool: "dotnet, nuget",
    why: "packages that are there are read as a fallback; the program keeps files in its home",
    variables: ({ root, there }) => ({
      NUGET_PACKAGES: `${root}/nuget`,
      NUGET_FALLBACK_PACKAGES: there(".nuget/packages"),
      DOTNET_CLI_HOME: `${root}/dotnet`,
    }),
    shared: [".nuget/packages", ".local/share/NuGet"],
  },
  {
    tool: "composer",
    why: "its cache alone; its home has credentials",
    variables: below({ COMPOSER_CACHE_DIR: "composer" }),
    shared: [".composer/cache"],
  },
  {
    tool: "bundler, gem",
    why: "gems themselves go into the project (`bundle config path`) or need a yes",
    variables: below({ BUNDLE_USER_CACHE: "bundle", GEM_SPEC_CACHE: "gem-specs" }),
    shared: [".bundle/cache"],
  },
];

const GO_DOWNLOADS = "go/pkg/mod/cache/download";

/** The person's proxies behind their own cache of modules; none where there is no such cache. */
function goProxy(
  { set, file, there }: { set: string; file: string; there: CacheContext["there"] },
): string {
  const shared = there(GO_DOWNLOADS);
  if (shared === "") return "";
  const written = /^GOPROXY=([^\n]*)$/m.exec(file)?.[1]?.trim() ?? "";
  return `file://${shared},${set || written || "https://proxy.golang.org,direct"}`;
}
