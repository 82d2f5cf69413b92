/** Reads its own memory by an address. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  onlyPermissions: true,
  script: () =>
    `const buffer = new TextEncoder().encode("known");
const pointer = Deno.UnsafePointer.of(buffer);
const other = Deno.UnsafePointer.create(BigInt(Deno.UnsafePointer.value(pointer)));
return new Deno.UnsafePointerView(other).getCString();`,
});
