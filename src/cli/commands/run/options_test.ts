import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { UsageError } from "../../../protocol/error.ts";
import { parseDuration, readSessionChoices } from "./options.ts";
import { extractJson } from "./schema.ts";

function choices(flags: Record<string, string | number | boolean | string[]>) {
  return readSessionChoices({ flags }, "run");
}

Deno.test("parseDuration() reads seconds by default and the units s, m, h, ms", () => {
  deepStrictEqual(
    ["90", "1.5s", "2m", "1h", "250ms"].map((text) => parseDuration(text, "timeout")),
    [
      90_000,
      1500,
      120_000,
      3_600_000,
      250,
    ],
  );
  for (const wrong of ["", "0", "-1", "soon", "5 minutes"]) {
    throws(() => parseDuration(wrong, "timeout"), UsageError, wrong);
  }
});

Deno.test("readSessionChoices() refuses values and combinations that make no sense", () => {
  throws(() => choices({ "max-turns": 0 }), /--max-turns must be a whole number above 0: it is 0/);
  throws(() => choices({ "max-cost": -1 }), UsageError);
  for (const wrong of ["zz", "deadbeef", "", "0123456789ABCDEF01234567"]) {
    throws(() => choices({ "approve-once": [wrong] }), {
      name: "UsageError",
      message: `--approve-once ${wrong} is no id of an action`,
    });
  }
  throws(() => choices({ resume: "x", continue: true }), /cannot be used together/);
  throws(() => choices({ "no-session": true, resume: "x" }), /nothing to resume/);
  throws(() => choices({ cwd: "/no/such/place" }), /-C \(--cwd\) is not a directory/);
  throws(() => choices({ yolo: true, approve: "never" }), /say different things/);
});

Deno.test("readSessionChoices() maps --yolo to the policy always and --continue to latest", () => {
  deepStrictEqual(choices({ yolo: true }).spec.approval, { policy: "always" });
  deepStrictEqual(choices({ continue: true }).spec.resume, { session: "latest", here: true });
});

Deno.test("readSessionChoices() gives a spec without what no flag says", () => {
  deepStrictEqual(choices({}), { spec: { surface: "run" }, verbose: false, quiet: false });
  const flags = { model: "m", "base-url": "u", toolsets: ["file"], "max-turns": 3, plugin: ["p"] };
  deepStrictEqual(choices({ ...flags, "no-session": true, quiet: true, replay: "tape" }), {
    spec: {
      surface: "run",
      model: { name: "m", baseUrl: "u" },
      toolsets: { enabled: ["file"] },
      budget: { iterations: 3 },
      extensions: { plugins: ["p"] },
      storage: "none",
      cassette: { replay: "tape" },
    },
    verbose: false,
    quiet: true,
  });
});

Deno.test("extractJson() takes bare and fenced JSON and explains anything else", () => {
  deepStrictEqual(extractJson('```json\n{"a":1}\n```'), {
    ok: true,
    text: '{"a":1}',
    value: { a: 1 },
  });
  strictEqual(extractJson("[1]").ok, true);
  strictEqual(extractJson("Sure! {}").ok, false);
});
