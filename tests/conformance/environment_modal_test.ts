import { FakeModal } from "../support/fake_modal.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { LOSS_CASES } from "./environment_loss_cases.ts";
import { testEnvironment } from "./environment_suite.ts";

const cloud = await Deno.makeTempDir({ prefix: "hermes-modal-" });
const data = await Deno.makeTempDir({ prefix: "hermes-modal-home-" });
const module = new URL(`./environment_modal.ts?cloud=${cloud}&data=${data}`, import.meta.url);

testEnvironment({ name: "modal", module: module.href }, [...ENVIRONMENT_CASES, ...LOSS_CASES]);

Deno.test.afterAll(async () => {
  await new FakeModal(cloud).close();
  for (const dir of [cloud, data]) await Deno.remove(dir, { recursive: true });
});
