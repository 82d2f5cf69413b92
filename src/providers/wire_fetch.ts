/**
 * How provider requests leave the process. Redirects are never followed: a request carries a
 * key that belongs to one host. The embedded offline model answers under its own address, so
 * that cassettes record it like any other.
 */
import type { WireRequest } from "../protocol/provider.ts";
import { OFFLINE_BASE_URL } from "./catalog_data.ts";

/** The `WireFetch` of a normal run. */
export async function networkFetch(url: string, init: WireRequest): Promise<Response> {
  if (url.startsWith(`${OFFLINE_BASE_URL}/`)) {
    const { offlineFetch } = await import("./offline.ts");
    return offlineFetch(url, init);
  }
  return await fetch(url, { ...init, redirect: "manual" });
}
