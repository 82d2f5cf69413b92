/** Requests of the HTTP ingress in a plugin's process: from data to `Request`, from `Response` to data. */
import type { RouteRequest, RouteResponse } from "./messages.ts";

/** The request as a handler gets it. */
export function requestOf({ method, url, headers, body }: RouteRequest): Request {
  const bytes = Uint8Array.fromBase64(body);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, { method, headers, ...(hasBody ? { body: bytes } : {}) });
}

/** The response as hermes gets it. @throws when the handler answered something else. */
export async function responseData(response: unknown): Promise<RouteResponse> {
  if (!(response instanceof Response)) throw new TypeError("a route must answer a Response");
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: [...response.headers], body: bytes.toBase64() };
}
