import { equal } from "node:assert/strict";
import { imageType, longerSide } from "./image_facts.ts";

const PNG = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];

Deno.test("imageType() goes by the first bytes", () => {
  equal(imageType(new Uint8Array(PNG)), "image/png");
  equal(imageType(new TextEncoder().encode("RIFF0000WEBP")), "image/webp");
  equal(imageType(new TextEncoder().encode("<svg/>")), undefined);
  equal(imageType(new Uint8Array(0)), undefined);
});

Deno.test("longerSide() reads what an image claims, and believes no shorter file", () => {
  equal(longerSide(new Uint8Array([...PNG, 0, 0, 0x75, 0x30, 0, 0, 0, 1])), 30_000);
  equal(longerSide(new Uint8Array(PNG)), undefined);
  equal(longerSide(new Uint8Array([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 0, 2])), 512);
  const app0 = [0xff, 0xe0, 0, 4, 1, 2];
  const frame = [0xff, 0xc2, 0, 17, 8, 0x10, 0, 0x20, 0, 3];
  equal(longerSide(new Uint8Array([0xff, 0xd8, ...app0, ...frame])), 0x2000);
  // A segment of no length leads nowhere, and ends.
  equal(longerSide(new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0])), undefined);
});
