import assert from "node:assert/strict";
import { Guardrails, type GuardVerdict } from "./guardrails.ts";
import type { Outcome } from "./outcome.ts";

function outcome(text: string, failed = false): Outcome {
  return { text, status: failed ? "error" : "ok", fromTool: true, failed };
}

/** As the model reads it. */
function whole({ text, notes, ...rest }: GuardVerdict) {
  return { ...rest, text: [text, ...notes].join("\n\n") };
}

class Turn {
  rails: Guardrails;
  #calls = 0;

  constructor(config: Record<string, unknown> = {}) {
    this.rails = new Guardrails((path) => config[path]);
  }

  call(name: string, args: unknown, idempotent = false) {
    return { name, args, idempotent, callId: `c${++this.#calls}` };
  }

  fail(name: string, args: unknown): { text: string; halt?: string } {
    return whole(this.rails.after(this.call(name, args), outcome('{"error":"x"}', true)));
  }

  succeed(name: string, args: unknown, options: { text?: string; idempotent?: boolean } = {}) {
    const call = this.call(name, args, options.idempotent);
    return whole(this.rails.after(call, outcome(options.text ?? "fine")));
  }
}

const HARD = { "tool_loop_guardrails.hard_stop_enabled": true };

Deno.test("after() warns when the same call fails again", () => {
  const turn = new Turn({ "agent.stall_guards": false });
  assert.equal(turn.fail("t", { a: 1, b: 2 }).text, '{"error":"x"}');
  assert.match(
    turn.fail("t", { b: 2, a: 1 }).text,
    /\n\n\[repeated_exact_failure_warning, 2 times/,
  );
  turn.succeed("t", { a: 1, b: 2 });
  assert.equal(turn.fail("t", { a: 1, b: 2 }).text, '{"error":"x"}');
});

Deno.test("after() warns when one tool keeps failing, whatever the arguments", () => {
  const turn = new Turn();
  turn.fail("t", { n: 1 });
  assert.ok(!turn.fail("t", { n: 2 }).text.includes("["));
  assert.match(turn.fail("t", { n: 3 }).text, /\[same_tool_failure_warning, 3 times/);
  turn.succeed("t", { n: 4 });
  assert.ok(!turn.fail("t", { n: 5 }).text.includes("["));
});

Deno.test("after() warns when a read changes nothing", () => {
  const turn = new Turn({ "agent.stall_guards": false });
  turn.succeed("read", { p: 1 }, { idempotent: true });
  turn.succeed("other", {});
  const again = turn.succeed("read", { p: 1 }, { idempotent: true });
  assert.match(again.text, /\[idempotent_no_progress_warning, 2 times/);
  const changed = turn.succeed("read", { p: 1 }, { idempotent: true, text: "new" });
  assert.equal(changed.text, "new");
});

Deno.test("before() blocks only where hard stops are on", () => {
  for (const [config, blocked] of [[{}, false], [HARD, true]] as const) {
    const turn = new Turn(config);
    for (let i = 0; i < 5; i++) turn.fail("t", { a: 1 });
    const block = turn.rails.before(turn.call("t", { a: 1 }));
    assert.equal(block !== undefined, blocked);
    if (!block) continue;
    assert.equal(block.guardrail.code, "repeated_exact_failure_block");
    assert.equal(block.guardrail.count, 5);
    assert.equal(block.guardrail["tool_name"], "t");
    assert.equal(turn.rails.before(turn.call("t", { a: 2 })), undefined);
  }
});

Deno.test("before() blocks a read that never changes", () => {
  const turn = new Turn({
    ...HARD,
    "tool_loop_guardrails.hard_stop_after.idempotent_no_progress": 2,
  });
  for (let i = 0; i < 2; i++) turn.succeed("read", {}, { idempotent: true });
  const block = turn.rails.before(turn.call("read", {}, true));
  assert.equal(block?.guardrail.code, "idempotent_no_progress_block");
});

Deno.test("after() ends the turn when a tool fails for the eighth time", () => {
  const turn = new Turn(HARD);
  for (let i = 0; i < 7; i++) assert.equal(turn.fail("t", { i }).halt, undefined);
  assert.match(turn.fail("t", { i: 7 }).halt!, /t failed 8 times.*same_tool_failure_halt/);
});

Deno.test("after() points to the first of identical results and says so from the third on", () => {
  const turn = new Turn({ "tool_loop_guardrails.warnings_enabled": false });
  const text = "x".repeat(600);
  assert.equal(turn.succeed("t", {}, { text }).text, text);
  assert.equal(
    turn.succeed("t", {}, { text }).text,
    "[Unchanged: the result is identical to that of call c1 above.]",
  );
  assert.match(
    turn.succeed("t", {}, { text }).text,
    /call c1 above\.\]\n\n\[This is the same call/,
  );
  turn.succeed("other", {});
  assert.equal(turn.succeed("t", {}, { text }).text, text);
});

Deno.test("after() leaves polling and short results alone", () => {
  const turn = new Turn();
  for (const name of ["process", "video_get_result", "job_poll"]) {
    for (let i = 0; i < 4; i++) assert.equal(turn.succeed(name, {}).text, "fine");
  }
  turn.succeed("t", {});
  assert.equal(turn.succeed("t", {}).text, "fine");
});

Deno.test("admit() caps searches per turn and starts again with the next", () => {
  const turn = new Turn({ "tool_loop_guardrails.loop_caps.max_web_searches": 2 });
  assert.equal(turn.rails.admit("web_search"), undefined);
  assert.equal(turn.rails.admit("web_search"), undefined);
  assert.equal(turn.rails.admit("web_search")?.guardrail.code, "loop_web_search_cap");
  assert.equal(turn.rails.admit("read_file"), undefined);
  turn.rails.reset();
  assert.equal(turn.rails.admit("web_search"), undefined);
  const free = new Turn({ "tool_loop_guardrails.loop_caps.max_subagents": 0 });
  for (let i = 0; i < 100; i++) assert.equal(free.rails.admit("delegate_task"), undefined);
});
