/**
 * The benchmark's model: answers at once over real HTTP and SSE, asks for `turns` tool calls
 * and then says it is done. Notes when each request came and how much memory the caller held.
 */

export interface SeenRequest {
  at: number;
  /** Characters of system prompt and tool schemas. */
  fixedChars: number;
  body: string;
}

export class BenchModel {
  readonly requests: SeenRequest[] = [];
  /** Called while a request waits for its answer. */
  onRequest: (index: number) => Promise<void> = () => Promise.resolve();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #turns = 0;

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const at = performance.now();
      return this.#answer(request, at);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  /** Forgets what it saw and asks for `turns` tool calls from now on. */
  reset(turns: number): void {
    this.requests.length = 0;
    this.#turns = turns;
  }

  async close(): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request, at: number): Promise<Response> {
    const body = await request.text();
    const index = this.requests.length;
    this.requests.push({ at, fixedChars: fixedChars(body), body });
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
    const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
    return new Response(`${text}data: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  }
}

function fixedChars(body: string): number {
  const parsed = JSON.parse(body) as {
    messages: { role: string; content: unknown }[];
    tools?: unknown;
  };
  const system = parsed.messages.filter((message) => message.role === "system");
  return system.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0) +
    (parsed.tools === undefined ? 0 : JSON.stringify(parsed.tools).length);
}
