import { throws } from "node:assert/strict";
import type { SessionSpec } from "../protocol/session_spec.ts";
import { requireSpec } from "./spec_check.ts";

/** A spec with every field there is. */
const WHOLE: Required<SessionSpec> = {
  sandbox: "read-only",
  network: "example.com",
  surface: "server",
  origin: { platform: "web", chat: "1", thread: "2", user: "3" },
  environment: "docker:alpine",
  cwd: "/srv",
  model: { name: "m", provider: "p", baseUrl: "http://h" },
  offersOffline: false,
  toolsets: { enabled: ["file"], disabled: [] },
  approval: { policy: "ask", questions: "all", once: ["0"], answerers: ["web:3"] },
  budget: { iterations: 1, tokens: 1, costUsd: 0.5, timeMs: 1 },
  resume: { session: "latest", here: true },
  prompt: "",
  extensions: { plugins: ["./p"], acceptPlugins: true, acceptHooks: false },
  storage: "none",
  cassette: { record: "r", replay: "p" },
};

Deno.test("requireSpec() takes every field as it is meant, and none but the surface is needed", () => {
  requireSpec(WHOLE);
  requireSpec({ surface: "run" });
  requireSpec({ surface: "run", model: {}, budget: { tokens: undefined } });
});

Deno.test("requireSpec() names a field that is not what it must be", () => {
  const wrong: [unknown, RegExp][] = [
    [null, /the spec of a session must be an object/],
    [{}, /surface must be a text/],
    [{ surface: 7 }, /surface must be a text/],
    [{ cwd: "relative" }, /cwd must be an absolute path/],
    [{ cwd: "/a\0b" }, /cwd must be an absolute path/],
    [{ budget: { iterations: NaN } }, /budget\.iterations must be a number above 0/],
    [{ budget: { costUsd: "1" } }, /budget\.costUsd must be a number above 0/],
    [{ budget: { timeMs: -1 } }, /budget\.timeMs must be a number above 0/],
    [{ budget: [1] }, /budget must be an object/],
    [{ approval: { policy: "yes" } }, /approval\.policy must be one of never, ask, smart, always/],
    [{ approval: { answerers: "web:7" } }, /approval\.answerers must be a list of texts/],
    [{ approval: { once: [1] } }, /approval\.once must be a list of texts/],
    [{ toolsets: { enabled: "file" } }, /toolsets\.enabled must be a list of texts/],
    [{ sandbox: "open" }, /sandbox must be one of read-only, workspace-write, off/],
    [{ network: [] }, /network must be on, off, loopback, or hosts/],
    [{ network: " " }, /network must be on, off, loopback, or hosts/],
    [{ storage: "nothing" }, /storage must be one of durable, none/],
    [{ extensions: { acceptPlugins: "no" } }, /extensions\.acceptPlugins must be true or false/],
    [{ resume: "latest" }, /resume must be an object with session, here/],
    [{ resume: {} }, /resume\.session must be the id of a session, or latest/],
    [{ resume: { session: "" } }, /resume\.session must be the id of a session, or latest/],
    [{ resume: { session: 7 } }, /resume\.session must be a text/],
    [{ model: "gpt" }, /model must be an object with name, provider, baseUrl/],
  ];
  for (const [spec, message] of wrong) {
    const given = spec === null || Object.keys(spec as object).length === 0 ||
        Object.hasOwn(spec as object, "surface")
      ? spec
      : { surface: "server", ...spec as object };
    throws(() => requireSpec(given), message);
  }
});
