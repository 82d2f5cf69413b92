import { startServerProcess } from "../support/cloud_server_process.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { LOSS_CASES } from "./environment_loss_cases.ts";
import { testEnvironment } from "./environment_suite.ts";

const server = await startServerProcess(new URL("../support/daytona_server.ts", import.meta.url));
const data = await Deno.makeTempDir({ prefix: "hermes-daytona-home-" });
const module = new URL(
  `./environment_daytona.ts?server=${server.urls[0]}&data=${data}`,
  import.meta.url,
);

// The library for web sockets copies everything it reads.
const memory = { megabytes: 190, limitKb: 160 << 10 };
testEnvironment({ name: "daytona", module: module.href, memory }, [
  ...ENVIRONMENT_CASES,
  ...LOSS_CASES,
]);

Deno.test.afterAll(async () => {
  await server.stop();
  await Deno.remove(data, { recursive: true });
});
