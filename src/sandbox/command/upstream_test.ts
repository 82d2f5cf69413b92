import { equal, rejects } from "node:assert/strict";
import { parseIp } from "./ip_address.ts";
import { SYSTEM_NETWORK } from "./upstream.ts";

Deno.test("SYSTEM_NETWORK resolves as the system does and refuses what is not public", async () => {
  const addresses = await SYSTEM_NETWORK.resolve("localhost");
  equal(addresses.some((address) => ["127.0.0.1", "::1"].includes(address)), true);
  for (const address of addresses) {
    equal(SYSTEM_NETWORK.refuses(parseIp(address)!), "a loopback address");
  }
  await rejects(SYSTEM_NETWORK.resolve("no-such-name.invalid"));
});
