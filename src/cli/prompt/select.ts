/**
 * Choosing among answers with arrow keys or numbers, which only move the mark: a state machine that
 * renders one line per answer and takes keys, free of any terminal.
 */

export interface SelectOptions {
  choices: readonly string[];
  /** Several may be marked with the space bar. */
  multi?: boolean;
  /** Which answer enter gives at first; default the first. */
  start?: number;
  /** Keys that give an answer at once, by its index. */
  shortcuts?: Readonly<Record<string, number>>;
  /** The line about the keys; default the line for a plain choice. */
  help?: string;
}

export type SelectStep =
  | { kind: "open" }
  | { kind: "chosen"; indexes: number[] }
  | { kind: "cancelled" };

export class Select {
  #options: SelectOptions;
  #at: number;
  #marked = new Set<number>();

  constructor(options: SelectOptions) {
    this.#options = options;
    this.#at = options.start ?? 0;
  }

  /** The lines to show now. */
  render(): string[] {
    const { choices, multi, help } = this.#options;
    const rows = choices.map((choice, index) => {
      const pointer = index === this.#at ? "❯" : " ";
      const box = multi ? (this.#marked.has(index) ? "[x] " : "[ ] ") : "";
      return `${pointer} ${index + 1}. ${box}${choice}`;
    });
    const keys = multi
      ? "↑↓ move, space or a number marks, enter confirms, esc cancels"
      : "↑↓ or a number moves, enter confirms, esc cancels";
    return [...rows, help ?? keys];
  }

  onKey(key: string): SelectStep {
    const { choices, multi, shortcuts = {} } = this.#options;
    const answer = Object.hasOwn(shortcuts, key) ? shortcuts[key] : undefined;
    if (answer !== undefined) {
      this.#at = answer;
      return { kind: "chosen", indexes: [answer] };
    }
    if (key === "up" || key === "k") this.#at = (this.#at + choices.length - 1) % choices.length;
    else if (key === "down" || key === "j") this.#at = (this.#at + 1) % choices.length;
    else if (key === "escape" || key === "ctrl-c" || key === "ctrl-d") return { kind: "cancelled" };
    else if (key === " " && multi) this.#toggle(this.#at);
    else if (key === "enter") return { kind: "chosen", indexes: this.#result() };
    else if (/^[1-9]$/.test(key) && Number(key) <= choices.length) {
      this.#at = Number(key) - 1;
      if (multi) this.#toggle(this.#at);
    }
    return { kind: "open" };
  }

  #toggle(index: number): void {
    if (!this.#marked.delete(index)) this.#marked.add(index);
  }

  #result(): number[] {
    if (!this.#options.multi || this.#marked.size === 0) return [this.#at];
    return [...this.#marked].sort((a, b) => a - b);
  }
}
