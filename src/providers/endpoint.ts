/** Addresses of model servers: how people write them, and asking one which models it has. */
import { UsageError } from "../protocol/error.ts";
import type { Wire } from "./catalog_data.ts";
import { readBody } from "../util/read_body.ts";
import { trimEndOf } from "../util/trim_end.ts";

/** The address as requests use it: no trailing slash, `/v1` where the path was left out. */
export function normalizeBaseUrl(text: string, wire: Wire): string {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new UsageError(
      `base URL "${text}" is not an http(s) address; write it like http://127.0.0.1:8000/v1`,
    );
  }
  if (url.username || url.password) {
    throw new UsageError(`the base URL must not carry credentials; put the key in HERMES_API_KEY`);
  }
  const path = trimEndOf(url.pathname, "/")
    .replace(/\/(chat\/completions|responses|messages)$/, "");
  const bare = path === "" && wire !== "anthropic_messages";
  return url.origin + (bare ? "/v1" : path);
}

/** Ports of other services, to which the runtime (like every browser) sends no request. */
const BLOCKED_PORTS = " 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 " +
  "103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 " +
  "526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 " +
  "4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080 ";

/** @throws {UsageError} for an address that no request can ever reach. */
export function requireOpenPort(baseUrl: string): void {
  const { port } = new URL(baseUrl);
  if (port === "" || !BLOCKED_PORTS.includes(` ${port} `)) return;
  throw new UsageError(`${baseUrl}: no request can be sent to port ${port}, it is blocked`, {
    hint: "Let the server listen on another port, such as 8000.",
  });
}

/** `OLLAMA_HOST` as Ollama reads it: scheme and port may be missing, 0.0.0.0 means here. */
export function ollamaUrl(host: string): string {
  const url = URL.parse(/^https?:/.test(host) ? host : `http://${host}`);
  if (url === null) throw new UsageError(`OLLAMA_HOST "${host}" is not an address`);
  if (url.port === "" && !/^https?:/.test(host)) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return normalizeBaseUrl(url.href, "openai_chat");
}

/** The longest list of models known is a tenth of this. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const MAX_ID_CHARS = 200;

export interface ListModelsOptions {
  fetch: typeof fetch;
  timeoutMs: number;
  apiKey?: string | undefined;
}

/** Chat models a server offers, in its order, or why they are not known. */
export async function listModels(
  baseUrl: string,
  options: ListModelsOptions,
): Promise<string[] | "unreachable" | "unlisted"> {
  let response: Response;
  try {
    response = await options.fetch(`${baseUrl}/models`, {
      headers: options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
      redirect: "manual",
      signal: AbortSignal.timeout(options.timeoutMs),
    });
  } catch {
    // Not there or too slow: all the same to the caller.
    return "unreachable";
  }
  try {
    const body = JSON.parse(new TextDecoder().decode(await readBody(response, MAX_LIST_BYTES))) as {
      data?: { id?: unknown }[];
    };
    if (!response.ok || !Array.isArray(body.data)) return "unlisted";
    return body.data.map((model) => String(model.id ?? ""))
      .filter((id) => id !== "" && id.length <= MAX_ID_CHARS)
      .filter((id) => !/embed|rerank|whisper|tts/i.test(id));
  } catch {
    // Whatever it sent, it is no list of models.
    return "unlisted";
  }
}
