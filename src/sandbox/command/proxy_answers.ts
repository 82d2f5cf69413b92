/**
 * Answers that the forward proxy gives itself. Their one line is also the reason phrase, because
 * many clients print nothing else of a CONNECT that failed.
 */
import { skipBytes, writeAll } from "./byte_stream.ts";
import { latin1 } from "./http_head.ts";

/** The answer that opens a tunnel. */
export const TUNNEL_OPEN: Uint8Array = latin1("HTTP/1.1 200 Connection established\r\n\r\n");

/** TLS's "unrecognized_name" (RFC 6066), fatal: what a client shows says what is wrong. */
export const UNRECOGNIZED_NAME: Uint8Array = new Uint8Array([21, 3, 1, 0, 2, 2, 112]);

/** How much of an unread request is thrown away so that the client can read its answer. */
const DRAIN_BYTES = 1024 * 1024;

/** A whole answer with `message` as reason phrase and body. */
export function proxyAnswer(status: number, message: string): Uint8Array {
  const line = message.replaceAll(/[^ -~]/g, "?");
  const fields = [
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${line.length + 1}`,
    ...status === 407 ? ['Proxy-Authenticate: Basic realm="hermes"'] : [],
    "Proxy-Connection: close",
    "Connection: close",
  ];
  return latin1(`HTTP/1.1 ${status} ${line}\r\n${fields.join("\r\n")}\r\n\r\n${line}\n`);
}

/**
 * Answers and waits until the client has closed. Closing with unread bytes would reset the
 * connection, and the client might never see the answer.
 */
export async function answerAndDrain(
  client: Deno.TcpConn,
  bytes: Uint8Array,
): Promise<void> {
  await writeAll(client, bytes);
  await client.closeWrite();
  await skipBytes(client, DRAIN_BYTES);
}
