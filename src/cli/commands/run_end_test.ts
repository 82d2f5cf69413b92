import assert from "node:assert/strict";
import type { TurnResult } from "../../agent/types.ts";
import { describeEnd, resumeCommand } from "./run_end.ts";
import type { SessionChoices } from "./run_options.ts";

const CHOICES: SessionChoices = {
  cwd: "/",
  cwdGiven: false,
  acceptHooks: false,
  acceptPlugins: false,
  resumeHere: false,
  persist: true,
  verbose: false,
  quiet: false,
};

function ended(reason: TurnResult["reason"]): TurnResult {
  return { reason, text: "", iterations: 1, detail: "why" };
}

Deno.test("resumeCommand() repeats what chose the model and the profile, quoted", () => {
  const choices = { ...CHOICES, profile: "work", baseUrl: "http://h/v1", model: "a model" };
  assert.equal(
    resumeCommand(choices, { command: ["hermes"], id: "01x" }),
    "hermes --resume 01x --profile work --base-url http://h/v1 --model 'a model'",
  );
});

Deno.test("resumeCommand() repeats where a session ran and what it could do", () => {
  const choices = { ...CHOICES, environment: "docker:a b", toolsets: ["file", "todo"] };
  const words = { command: ["hermes", "run"], id: "01x", more: ["--approve", "always"] };
  assert.equal(
    resumeCommand(choices, words),
    "hermes run --resume 01x --env 'docker:a b' --toolsets file,todo --approve always",
  );
  const without = { ...CHOICES, environment: "ssh:me@h", disableToolsets: ["terminal"] };
  const end = describeEnd(ended("needs_approval"), { choices: without, id: "01x" });
  assert.match(end, / --env ssh:me@h --disable-toolsets terminal --approve always\n$/);
});

Deno.test("describeEnd() says why, and how to go on where that makes sense", () => {
  const about = { choices: CHOICES, id: "01x" };
  const lines = (reason: TurnResult["reason"]) => describeEnd(ended(reason), about).split("\n");
  assert.deepEqual(lines("done"), [""]);
  assert.deepEqual(lines("provider"), ["hermes: why", ""]);
  assert.deepEqual(lines("schema"), ["hermes: why", ""]);
  assert.deepEqual(lines("failed"), ["hermes: the agent gave up: why", ""]);
  const goOn = "  Go on with: hermes run --resume 01x";
  assert.deepEqual(lines("budget"), ["hermes: why", `${goOn} 'go on'`, ""]);
  assert.deepEqual(lines("interrupted"), ["hermes: interrupted", `${goOn} 'go on'`, ""]);
  assert.equal(lines("needs_approval")[1], `${goOn} --approve always`);
});

Deno.test("describeEnd() offers nothing where nothing was kept", () => {
  const end = describeEnd(ended("interrupted"), { choices: CHOICES, id: undefined });
  assert.equal(end, "hermes: interrupted\n");
});
