/**
 * The one reader of a terminal's standard input. Lines go to whoever asked for one, keys to a
 * raw-mode prompt while it is open, and unrequested lines to `onTypedAhead` (typing ahead).
 */
import { decodeKeys } from "./keys.ts";
import { sleep } from "../../util/sleep.ts";
import { terminalText } from "../../util/terminal_text.ts";

/** The terminal as far as prompts need it; tests drive one without a TTY. */
export interface TerminalDevice {
  readonly input: AsyncIterable<Uint8Array>;
  write(text: string): void;
  setRaw(raw: boolean): void;
  /** Resolves when what was typed before `setRaw(true)` has arrived; absent where that is at once. */
  settled?(): Promise<void>;
  /** Characters in a line. */
  columns(): number;
  /** Ctrl-C while keys are read one by one, when the terminal itself does not see it. */
  interrupt(): void;
}

interface LineWaiter {
  prompt: string;
  /** Something else was written since; the prompt is not where the cursor is. */
  isLeft: boolean;
  resolve(line: string | undefined): void;
}

/** Half a line reaches us within a few milliseconds; nobody answers what is not on the screen. */
const SETTLE_MS = 50;

export class TerminalInput {
  /** Called with lines that came while no question was open. */
  onTypedAhead: (line: string) => void = () => {};
  #device: TerminalDevice;
  #decoder = new TextDecoder();
  #buffer = "";
  /** Whoever asked last gets the next line; a question may come up over the chat's own prompt. */
  #waiters: LineWaiter[] = [];
  #onKey: ((key: string | undefined) => void) | undefined;
  #ended = false;

  constructor(device: TerminalDevice) {
    this.#device = device;
    void this.#pump();
  }

  get columns(): number {
    return this.#device.columns();
  }

  write(text: string): void {
    this.#device.write(text);
  }

  /** Shows a line at any time; a person who is typing gets the prompt once more. */
  note(text: string): void {
    const wasLeft = this.#waiters.at(-1)?.isLeft;
    this.leaveLine();
    this.#device.write(`${terminalText(text)}\n`);
    if (!wasLeft) this.askAgain();
  }

  /**
   * Goes to a new line before something is written while a person may be typing. The terminal keeps
   * what was typed, shows it no more and hands it over with enter.
   */
  leaveLine(): void {
    const waiter = this.#waiters.at(-1);
    if (waiter === undefined || waiter.isLeft) return;
    waiter.isLeft = true;
    this.#device.write("\n");
  }

  /** Shows the prompt once more after `leaveLine()`. */
  askAgain(): void {
    const waiter = this.#waiters.at(-1);
    if (!waiter?.isLeft) return;
    waiter.isLeft = false;
    this.#device.write(waiter.prompt);
  }

  /** Asks for a line; undefined at the end of input or when the signal fires. */
  readLine(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    this.#device.write(prompt);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const stop = () => settle(undefined);
      const settle = (line: string | undefined) => {
        this.#waiters = this.#waiters.filter((one) => one !== waiter);
        signal?.removeEventListener("abort", stop);
        resolve(line);
      };
      const waiter: LineWaiter = { prompt, isLeft: false, resolve: settle };
      for (const outer of this.#waiters) outer.isLeft = true;
      this.#waiters.push(waiter);
      signal?.addEventListener("abort", stop, { once: true });
      this.#flush();
    });
  }

  /**
   * Feeds keys to `onKey` until it returns true, the input ends or the signal fires; says whether
   * Ctrl-C ended it. `onReady` is called once keys are taken one by one: what is shown earlier
   * could be answered too early.
   */
  async readKeys(
    onKey: (key: string) => boolean,
    { signal, onReady }: { signal?: AbortSignal; onReady?: () => void } = {},
  ): Promise<"done" | "interrupted"> {
    if (this.#ended || signal?.aborted) return "done";
    const { promise, resolve } = Promise.withResolvers<void>();
    let interrupted = false;
    // Before the next read begins: one that began on a raw terminal swallows the Ctrl-D after it.
    const close = () => {
      this.#onKey = undefined;
      this.#device.setRaw(false);
      resolve();
    };
    signal?.addEventListener("abort", close, { once: true });
    // A terminal hands over half a line as keys: what was typed before the question is no answer.
    let isReady = this.#device.settled === undefined;
    const take = this.#onKey = (key) => {
      interrupted ||= key === "ctrl-c";
      if (key === undefined || ((isReady || key === "ctrl-c") && onKey(key))) close();
    };
    this.#device.setRaw(true);
    if (!isReady) await Promise.race([this.#device.settled!(), promise]);
    isReady = true;
    if (this.#onKey === take) onReady?.();
    await promise;
    signal?.removeEventListener("abort", close);
    if (!interrupted) return "done";
    this.#device.interrupt();
    return "interrupted";
  }

  async #pump(): Promise<void> {
    try {
      for await (const chunk of this.#device.input) {
        const text = this.#decoder.decode(chunk, { stream: true });
        if (this.#onKey) { for (const key of decodeKeys(text)) this.#onKey?.(key); }
        else {
          this.#buffer += text;
          this.#flush();
        }
      }
    } catch {
      // A terminal that goes away ends the input like Ctrl-D.
    }
    this.#ended = true;
    this.#onKey?.(undefined);
    for (const waiter of this.#waiters) waiter.resolve(undefined);
  }

  #flush(): void {
    for (let end = this.#buffer.indexOf("\n"); end >= 0; end = this.#buffer.indexOf("\n")) {
      const line = this.#buffer.slice(0, end).replace(/\r$/, "");
      this.#buffer = this.#buffer.slice(end + 1);
      const waiter = this.#waiters.at(-1);
      if (waiter) waiter.resolve(line);
      else this.onTypedAhead(line);
    }
  }
}

/** The process's own terminal. */
export function createStdTerminal(): TerminalDevice {
  return {
    input: Deno.stdin.readable,
    write: (text) => {
      Deno.stderr.writeSync(new TextEncoder().encode(text));
    },
    setRaw: (raw) => Deno.stdin.setRaw(raw),
    settled: () => sleep(SETTLE_MS),
    columns: () => Deno.consoleSize().columns,
    interrupt: () => Deno.kill(Deno.pid, "SIGINT"),
  };
}
