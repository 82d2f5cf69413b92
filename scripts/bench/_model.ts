/**
 * The benchmark's model: answers at once over real HTTP and SSE, asks for `turns` tool calls
 * and then says it is done. Notes when each request came and how much memory the caller held.
 * On `node:http`, which keeps connections alive as providers do: `Deno.serve` closes them after
 * a request of more than a few kilobytes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface SeenRequest {
  at: number;
  body: string;
}

export class BenchModel {
  readonly requests: SeenRequest[] = [];
  /** Called while a request waits for its answer. */
  onRequest: (index: number) => Promise<void> = () => Promise.resolve();
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response, performance.now());
  });
  #turns = 0;

  /** Starts to listen on a free port of 127.0.0.1. */
  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Forgets what it saw and asks for `turns` tool calls from now on. */
  reset(turns: number): void {
    this.requests.length = 0;
    this.#turns = turns;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #answer(request: IncomingMessage, response: ServerResponse, at: number): Promise<void> {
    const body = await text(request);
    const index = this.requests.length;
    this.requests.push({ at, body });
    await this.onRequest(index);
    const delta = index < this.#turns
      ? {
        tool_calls: [{
          index: 0,
          id: `call_${index}`,
          type: "function",
          function: { name: "terminal", arguments: '{"command":"true"}' },
        }],
      }
      : { content: "done" };
    const finish = index < this.#turns ? "tool_calls" : "stop";
    const frames = [
      { choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } },
    ];
    const events = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${events}data: [DONE]\n\n`);
  }
}

/** Characters of system prompt and tool schemas in a request. */
export function fixedChars(body: string): number {
  const parsed = JSON.parse(body) as {
    messages: { role: string; content: unknown }[];
    tools?: unknown;
  };
  const system = parsed.messages.filter((message) => message.role === "system");
  return system.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0) +
    (parsed.tools === undefined ? 0 : JSON.stringify(parsed.tools).length);
}
