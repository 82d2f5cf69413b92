import assert from "node:assert/strict";
import { TokenBucket } from "./token_bucket.ts";

Deno.test("take() gives what is there at once, and then what time brings", () => {
  let now = 0;
  const bucket = new TokenBucket({ capacity: 10, perMinute: 60 }, () => now);
  assert.ok(bucket.take(10));
  assert.ok(!bucket.take());
  assert.equal(bucket.waitMs(), 1_000);
  now += 999;
  assert.ok(!bucket.take());
  now += 1;
  assert.ok(bucket.take());
  assert.equal(bucket.waitMs(5), 5_000);
  now += 3_600_000;
  assert.ok(!bucket.take(11), "never more than its capacity");
  assert.ok(bucket.take(10));
});
