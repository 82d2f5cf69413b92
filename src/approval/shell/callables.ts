/**
 * The functions a script has defined and its aliases: what a name runs, and which of them are
 * being followed, so that recursion ends. Follows nothing itself.
 */
import type { Invocation } from "./invocation.ts";
import { withWords } from "./payload.ts";
import type { Command } from "./shell_ast.ts";
import type { ShellState } from "./shell_state.ts";

/** How the caller follows what a name runs. */
export interface Followers {
  /** An alias: text for the shell. */
  text(text: string): void;
  /** A function's body. */
  body(body: Command): void;
}

export class Callables {
  readonly #state: ShellState;
  readonly #functions = new Map<string, Command>();
  readonly #calling = new Set<string>();

  constructor(state: ShellState) {
    this.#state = state;
  }

  /** Keeps a function; its body is followed once with unknown arguments. */
  define(name: string, { body, follow }: { body: Command; follow: () => string }): string {
    this.#functions.set(name, body);
    const run = () => this.#state.subshell(follow);
    return this.#during(name, { positional: undefined, run });
  }

  /** Follows the alias and the function of the name, with the arguments it is given. */
  call({ path, args }: Invocation, followers: Followers): void {
    const alias = this.#state.aliases.get(path);
    if (alias !== undefined && !this.#calling.has(path)) {
      const { text, variables } = withWords(alias, args);
      const { positional } = this.#state;
      const restore = this.#state.lend(variables);
      this.#during(path, { positional, run: () => followers.text(text) });
      restore();
    }
    const body = this.#functions.get(path);
    if (body === undefined || this.#calling.has(path)) return;
    const run = () => this.#state.scope(() => followers.body(body));
    this.#during(path, { positional: args, run });
  }

  #during<T>(
    name: string,
    { positional, run }: { positional: string[] | undefined; run: () => T },
  ): T {
    const before = this.#state.positional;
    this.#state.positional = positional;
    this.#calling.add(name);
    const result = run();
    this.#calling.delete(name);
    this.#state.positional = before;
    return result;
  }
}
