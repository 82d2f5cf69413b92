import { startServerProcess } from "../support/cloud_server_process.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { LOSS_CASES } from "./environment_loss_cases.ts";
import { testEnvironment } from "./environment_suite.ts";

const server = await startServerProcess(new URL("../support/modal_server.ts", import.meta.url));
const [url, quiet] = server.urls;
const data = await Deno.makeTempDir({ prefix: "hermes-modal-home-" });
const module = new URL(`./environment_modal.ts?server=${url}&data=${data}`, import.meta.url);

// The SDK lets 64 MB be on their way and copies everything it reads.
const memory = { megabytes: 190, limitKb: 160 << 10 };
testEnvironment({ name: "modal", module: module.href, memory }, [
  ...ENVIRONMENT_CASES,
  ...LOSS_CASES,
]);

// The SDK closes its connections later than it says.
Deno.test.afterEach(async () => {
  await (await fetch(quiet!)).text();
});
Deno.test.afterAll(async () => {
  await server.stop();
  await Deno.remove(data, { recursive: true });
});
