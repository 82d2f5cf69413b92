/**
 * Values that the commands of a session gave to variables. Exports reach later commands, so that
 * `export x="-rf ~"` and then `rm $x` are judged as what they do together.
 */

const MAX_NAMES = 256;
const MAX_VALUES = 8;
const MAX_CHARS = 4_096;

export class SeenVariables {
  readonly #values = new Map<string, string[]>();

  get seen(): ReadonlyMap<string, readonly string[]> {
    return this.#values;
  }

  /** Adds what a command that runs leaves behind. What does not fit is unknown later, not harmless. */
  keep(variables: ReadonlyMap<string, readonly string[]>): void {
    for (const [name, values] of variables) {
      const known = this.#values.get(name) ?? [];
      const fresh = values.filter((value) => value.length <= MAX_CHARS && !known.includes(value));
      this.#values.delete(name);
      this.#values.set(name, [...known, ...fresh].slice(-MAX_VALUES));
      if (this.#values.size > MAX_NAMES) this.#values.delete(this.#values.keys().next().value!);
    }
  }
}
