/**
 * How provider requests leave the process. Redirects are never followed: a request carries a
 * key that belongs to one host. The embedded offline model answers under its own address, so
 * that cassettes record it like any other.
 */
import type { WireRequest } from "../protocol/provider.ts";

/** Base URL of the embedded offline model; `.invalid` can never be a real host. */
export const OFFLINE_BASE_URL = "http://offline.invalid/v1";

/** The `WireFetch` of a normal run. */
export async function networkFetch(url: string, init: WireRequest): Promise<Response> {
  if (url.startsWith(`${OFFLINE_BASE_URL}/`)) {
    const { offlineFetch } = await import("./offline.ts");
    return offlineFetch(url, init);
  }
  return await fetch(url, { ...init, redirect: "manual" });
}
