import assert from "node:assert/strict";
import type { AgentEvent } from "./event.ts";
import { AgentEventSchema, eventJsonSchema } from "./event_schema.ts";
import { zeroUsage } from "./message.ts";

const base = { ts: "2026-01-01T00:00:00.000Z", sessionId: "s", seq: 1 };

Deno.test("AgentEventSchema accepts an event and refuses one with a missing or wrong field", () => {
  const event: AgentEvent = {
    type: "session_end",
    reason: "done",
    exitCode: 0,
    usage: zeroUsage(),
    ...base,
  };
  assert.deepEqual(AgentEventSchema.parse(event), event);
  assert.equal(AgentEventSchema.safeParse({ ...event, reason: "other" }).success, false);
  assert.equal(AgentEventSchema.safeParse({ type: "notice", ...base }).success, false);
});

Deno.test("eventJsonSchema() describes every event type by name", () => {
  const { oneOf } = eventJsonSchema() as { oneOf: { properties: { type: { const: string } } }[] };
  const types = oneOf.map((member) => member.properties.type.const);
  assert.equal(new Set(types).size, 22);
  assert.ok(types.includes("tool_start") && types.includes("approval_end"));
});
