/**
 * The one policy of what a child process may know of hermes' environment. Each function is a kind
 * of child; `ChildEnvironment` can be made here only, so nothing is started with another.
 * `child_variables.ts` decides about each variable.
 */
import { childVariables } from "./child_variables.ts";

type Variables = Readonly<Record<string, string>>;
declare const decided: unique symbol;

/** The whole environment of a child. */
export type ChildEnvironment = Variables & { readonly [decided]: true };

export const SYSTEM_PATH: readonly string[] = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
];
/** A client program of hermes itself may log in to a proxy. */
const PROXIES = [
  "http_proxy",
  "HTTP_PROXY",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
];

/**
 * Commands have no person who pages through their output. On a terminal a pager takes input, and
 * starts programs that the gate has not seen; `less` itself is kept from doing that.
 */
const NO_PAGER: Variables = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  LESSSECURE: "1",
};

export interface ChildOptions {
  /** Names of variables that are passed whatever they hold. */
  pass: readonly string[];
  home: string;
}

/** Commands of a model: the allow-list, a home, a complete PATH and no pager. */
export function commandEnvironment(env: Variables, options: ChildOptions): ChildEnvironment {
  const child = { ...childVariables(env, options.pass), ...NO_PAGER };
  for (const name of options.pass) if (env[name] !== undefined) child[name] = env[name];
  child.HOME ??= options.home;
  const path = child.PATH?.split(":").filter((dir) => dir !== "") ?? [];
  child.PATH = [...path, ...SYSTEM_PATH.filter((dir) => !path.includes(dir))].join(":");
  return child as Record<string, string> as ChildEnvironment;
}

/** A program through which hermes reaches another place (`docker`, `ssh`); no command sees it. */
export function clientEnvironment(env: Variables, options: ChildOptions): ChildEnvironment {
  return commandEnvironment(env, { ...options, pass: [...options.pass, ...PROXIES] });
}

/** A person's own program that hermes runs for them unseen, such as a hook: the allow-list. */
export function helperEnvironment(
  env: Variables,
  pass: readonly string[] = [],
): ChildEnvironment {
  return childVariables(env, pass) as Variables as ChildEnvironment;
}

/** A person's own program on their own terminal, such as the editor: everything they have. */
export function personalEnvironment(env: Variables): ChildEnvironment {
  return env as ChildEnvironment;
}

/** Nothing of hermes' environment: these variables, each named by the caller. */
export function onlyVariables(variables: Variables): ChildEnvironment {
  return variables as ChildEnvironment;
}

/** The same child with further variables. */
export function withVariables(env: ChildEnvironment, variables: Variables): ChildEnvironment {
  return { ...env, ...variables } as Variables as ChildEnvironment;
}
