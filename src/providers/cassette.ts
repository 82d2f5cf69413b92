/**
 * Recording and replaying model traffic. A cassette is JSON lines: a header, then one
 * exchange per line with the request and the raw pieces of its answer. Keys are never
 * written. Replays are strict: the same requests in the same order, or a readable refusal.
 */
import { HermesError, UsageError } from "../protocol/error.ts";
import type { WireFetch, WireRequest } from "../protocol/provider.ts";
import { reasonOf } from "../util/reason.ts";
import type { Seal } from "../util/seal.ts";
import { VERSION } from "../util/version.ts";
import { describeDifference } from "./cassette_diff.ts";
import { CASSETTE_HEADER } from "./classify_error.ts";
import type { RouteFetch, RouteTarget } from "./route.ts";

const FORMAT = 1;
const KEPT_HEADERS = ["content-type", "retry-after", "retry-after-ms", "location"];
const SECRET_HEADER = /auth|key|token|secret|cookie/i;

/** A piece of an answer: text, or bytes that are no text. */
type Piece = string | { base64: string };

interface Header {
  cassette: number;
  hermes: string;
  target?: RouteTarget;
}

interface Exchange {
  request: { method: string; url: string; body: unknown };
  response: {
    status: number;
    headers: Record<string, string>;
    events: Piece[];
    /** The connection ended before the answer did. */
    cut?: boolean;
  } | { error: string };
}

/** An exchange as it is written: the seal is over it and the seal before it. */
type SealedExchange = Exchange & { seal?: string };

export interface CassetteOptions {
  /** Seals what is recorded, and tells whether a recording was made in this home. */
  seal?: Seal;
  /** Replaces what differs between runs (paths, dates) in the request's JSON text. */
  normalize?: (text: string) => string;
}

export interface Recorder {
  fetch: RouteFetch;
  /** Waits for everything to be on disk. */
  close(): Promise<void>;
}

export type Replayer = RouteFetch & {
  /** True when every exchange was recorded in this home, in this order, and is as it was. */
  isOwn(): Promise<boolean>;
};

const PURPOSE = "cassette";

/** Starts a new cassette at `path`; every request goes through `inner` and is written when answered. */
export async function createRecorder(
  path: string,
  inner: WireFetch,
  options: CassetteOptions = {},
): Promise<Recorder> {
  const file = await openForWriting(path);
  const header: Header = { cassette: FORMAT, hermes: VERSION };
  let begun = false;
  let written = Promise.resolve();
  let before = "";
  function write(exchange?: Exchange): Promise<void> {
    const head = begun ? "" : `${JSON.stringify(header)}\n`;
    begun = true;
    written = written.then(async () => {
      if (exchange === undefined) return await writeAll(file, head);
      const seal = await sealOf(exchange, { before, seal: options.seal });
      if (seal !== undefined) before = seal;
      const line: SealedExchange = seal === undefined ? exchange : { ...exchange, seal };
      await writeAll(file, `${head}${JSON.stringify(line)}\n`);
    });
    return written;
  }
  async function record(url: string, init: WireRequest): Promise<Response> {
    const hide = redactor(init);
    const request = {
      method: init.method,
      url: hide(url),
      body: toJson((options.normalize ?? String)(hide(init.body))),
    };
    try {
      const response = await inner(url, init);
      const keep = (pieces: Uint8Array[], cut: boolean) =>
        write({ request, response: toRecord(response, { pieces, cut, hide }) });
      return copyResponse(response, keep);
    } catch (error) {
      await write({ request, response: { error: hide(String(error)) } });
      throw error;
    }
  }
  return {
    fetch: Object.assign(record, {
      describe: (target: RouteTarget) => void (header.target = target),
    }),
    async close() {
      await (begun ? written : write());
      file.close();
    },
  };
}

/** Plays a cassette back. @throws UsageError when the file is missing, damaged or of another format. */
export async function createReplayer(
  path: string,
  options: CassetteOptions = {},
): Promise<Replayer> {
  const { header, exchanges } = await readCassette(path);
  let next = 0;
  function replay(url: string, init: WireRequest): Promise<Response> {
    const number = next + 1;
    const recorded = exchanges[next++];
    const again = `record it again with --record ${path}`;
    if (recorded === undefined) {
      return Promise.resolve(refusal(
        `cassette ${path} holds ${exchanges.length} requests, but the run makes another: ${again}`,
      ));
    }
    const body = toJson((options.normalize ?? String)(init.body));
    const difference = describeDifference(recorded.request, { method: init.method, url, body });
    if (difference !== undefined) {
      const text = `request ${number} is not the one in cassette ${path}: ${difference}; ${again}`;
      return Promise.resolve(refusal(text));
    }
    const { response } = recorded;
    return "error" in response
      ? Promise.reject(new TypeError(response.error))
      : Promise.resolve(toResponse(response));
  }
  const isOwn = () => areSealed(exchanges, options.seal);
  return Object.assign(replay, { target: header.target, isOwn });
}

/** Undefined in a home that has no key and takes none: such a recording plays, and proves nothing. */
async function sealOf(
  exchange: Exchange,
  { before, seal }: { before: string; seal: Seal | undefined },
): Promise<string | undefined> {
  try {
    return await seal?.sign(PURPOSE, before + JSON.stringify(exchange));
  } catch {
    // A read-only or full home; what the model said is still worth recording.
    return undefined;
  }
}

async function areSealed(
  exchanges: readonly SealedExchange[],
  seal: Seal | undefined,
): Promise<boolean> {
  let before = "";
  for (const { seal: made = "", ...exchange } of exchanges) {
    if (!await seal?.verify(PURPOSE, before + JSON.stringify(exchange), made)) return false;
    before = made;
  }
  return true;
}

function refusal(message: string): Response {
  return new Response(message, { status: 409, headers: { [CASSETTE_HEADER]: "mismatch" } });
}

async function openForWriting(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  } catch (cause) {
    throw new UsageError(`cannot write cassette ${path}: ${reasonOf(cause)}`, { cause });
  }
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(await file.write(bytes));
  } catch (cause) {
    throw new HermesError(`the cassette could not be written: ${reasonOf(cause)}`, { cause });
  }
}

/** Removes the keys that a request carries from any text. */
function redactor(init: WireRequest): (text: string) => string {
  const secrets = Object.entries(init.headers)
    .filter(([name]) => SECRET_HEADER.test(name))
    .map(([, value]) => value.replace(/^Bearer /, ""))
    .filter((value) => value.length >= 4);
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Compared as it is.
    return text;
  }
}

/** The same answer, whose pieces are handed to `keep` when it ends, is abandoned or breaks. */
function copyResponse(
  response: Response,
  keep: (pieces: Uint8Array[], cut: boolean) => Promise<void>,
): Response {
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let kept = false;
  async function end(cut: boolean): Promise<void> {
    if (kept) return;
    kept = true;
    await keep(pieces, cut);
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader?.read().catch(async (error) => {
        await end(true);
        throw error;
      });
      if (next === undefined || next.done) {
        await end(false);
        controller.close();
        return;
      }
      pieces.push(next.value);
      controller.enqueue(next.value);
    },
    async cancel(why) {
      await end(true);
      await reader?.cancel(why);
    },
  });
  const { status, headers } = response;
  return new Response(body, { status, headers });
}

function toRecord(
  response: Response,
  body: { pieces: Uint8Array[]; cut: boolean; hide: (text: string) => string },
): Exchange["response"] {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = body.hide(value);
  }
  return {
    status: response.status,
    headers,
    events: toPieces(body.pieces, body.hide),
    ...(body.cut ? { cut: true } : {}),
  };
}

function toPieces(chunks: Uint8Array[], hide: (text: string) => string): Piece[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    const texts = chunks.map((chunk) => decoder.decode(chunk, { stream: true }));
    texts.push(decoder.decode());
    const whole = texts.join("");
    // A key may lie across two pieces: then they are kept as one.
    return hide(whole) === whole ? texts.filter((text) => text !== "") : [hide(whole)];
  } catch {
    // Not text at all, so there is no key to look for in it.
    return chunks.map((chunk) => ({ base64: new Uint8Array(chunk).toBase64() }));
  }
}

function toResponse(recorded: Exclude<Exchange["response"], { error: string }>): Response {
  const pieces = recorded.events.map((piece) =>
    typeof piece === "string"
      ? new TextEncoder().encode(piece)
      : Uint8Array.fromBase64(piece.base64)
  );
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[at++];
      if (piece !== undefined) controller.enqueue(piece);
      else if (recorded.cut) controller.error(new TypeError("the recorded connection was cut"));
      else controller.close();
    },
  });
  return new Response(body, { status: recorded.status, headers: recorded.headers });
}

async function readCassette(path: string): Promise<{ header: Header; exchanges: Exchange[] }> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    throw new UsageError(`cannot read cassette ${path}: ${reasonOf(cause)}`, { cause });
  }
  const lines = text.split("\n").filter((line) => line !== "");
  const header = toJson(lines[0] ?? "") as Partial<Header> | null;
  if (typeof header?.cassette !== "number") {
    throw new UsageError(`${path} is not a hermes cassette: make one with --record ${path}`);
  }
  if (header.cassette !== FORMAT) {
    throw new UsageError(
      `cassette ${path} has format ${header.cassette}, this hermes reads ${FORMAT}: ` +
        `record it again with --record ${path}`,
    );
  }
  const exchanges = lines.slice(1).map((line, index) => {
    const exchange = toJson(line) as Partial<Exchange> | null;
    if (exchange?.request !== undefined && isPlayable(exchange.response)) {
      return exchange as Exchange;
    }
    throw new UsageError(
      `line ${index + 2} of cassette ${path} is damaged: record it again with --record ${path}`,
    );
  });
  return { header: header as Header, exchanges };
}

/** What is not an answer would look like a broken network, and be asked for again and again. */
function isPlayable(response: unknown): boolean {
  if (typeof response !== "object" || response === null) return false;
  if ("error" in response) return typeof response.error === "string";
  const { status, headers, events } = response as Record<string, unknown>;
  try {
    if (!Array.isArray(events)) return false;
    new Response(null, { status: status as number, headers: headers as HeadersInit });
    return events.every((piece) =>
      typeof piece === "string" || Uint8Array.fromBase64(piece.base64).length > 0
    );
  } catch {
    return false; // no status, no header or no base64 at all
  }
}
