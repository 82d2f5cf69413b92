import assert from "node:assert/strict";
import { isTooDeep } from "./nesting.ts";

/** Each of these ends the process when it is long enough; the number is where that was seen first. */
const SHAPES: Record<string, (count: number) => string> = {
  arrays: (count) => `export const x = ${"[".repeat(count)}`,
  "arrays on lines": (count) => `export const x = ${"[\n".repeat(count)}`,
  blocks: (count) => "{".repeat(count),
  arrows: (count) => `export const x = ${"a=>".repeat(count)}1`,
  "arrows on lines": (count) => `export const x = ${"a =>\n  ".repeat(count)}1`,
  "types of types": (count) => `export type X = ${"A<".repeat(count)}B`,
  "types on lines": (count) => `export type X = ${"A\n<".repeat(count)}B`,
};

for (const [name, make] of Object.entries(SHAPES)) {
  Deno.test(`isTooDeep() sees ${name}`, () => {
    assert.equal(isTooDeep(make(600)), true);
    assert.equal(isTooDeep(make(50)), false);
  });
}

Deno.test("isTooDeep() sees long chains without a bracket", () => {
  for (const link of ["!", "1+", "1\n+ ", "1?1:", "if(1)", "if(1)\n", "if(1){}else ", "a:\n"]) {
    assert.equal(isTooDeep(`${link.repeat(10_000)}1`), true, link);
  }
});

Deno.test("isTooDeep() sees chains of words, calls, and what only looks like an end", () => {
  const words = [
    "new ",
    "new\n",
    "typeof\n ",
    "await ",
    "keyof ",
    "x as\n",
    "x\nin ",
    "class extends ",
  ];
  const lies = ["!/*;*/", "x//;\n+", "1+';'+", '1+","+', "1+/;/+", "-/*\n*/"];
  for (const link of [...words, ...lies]) {
    assert.equal(isTooDeep(`${link.repeat(10_000)}1`), true, JSON.stringify(link));
    assert.equal(isTooDeep(`${link.repeat(500)}1`), false, JSON.stringify(link));
  }
  for (const link of ["()", "[0]", "``"]) {
    assert.equal(isTooDeep(`x${link.repeat(50_000)}`), true, link);
    assert.equal(isTooDeep(`x${link.repeat(5_000)}`), false, link);
  }
});

Deno.test("isTooDeep() counts nothing of what is no code", () => {
  const data = "a+b/c=".repeat(100_000);
  for (const text of [`x = "${data}"`, `// ${data}`, `/* ${"<p>(\n".repeat(10_000)} */`]) {
    assert.equal(isTooDeep(`const a = 1;\n${text}\nconst b = 2;`), false, text.slice(0, 20));
  }
});

Deno.test("isTooDeep() takes real code for what it is", async () => {
  const folders = ["../plugins", "../cli/commands", "../approval", "../providers"];
  for (const folder of folders) {
    const url = new URL(`${folder}/`, import.meta.url);
    let all = "";
    for await (const { name, isFile } of Deno.readDir(url)) {
      if (isFile) all += await Deno.readTextFile(new URL(name, url));
    }
    assert.equal(isTooDeep(all), false, folder);
    assert.equal(isTooDeep(all.replaceAll(/;$/gm, "")), false, `${folder} without semicolons`);
  }
});
