import { equal, match, rejects } from "node:assert/strict";
import { ScriptSyntaxError } from "../child/module_source.ts";
import { TypeStripper } from "./type_stripper.ts";

async function refused(stripping: Promise<string>, message: RegExp): Promise<void> {
  await rejects(stripping, (error) => {
    if (!(error instanceof ScriptSyntaxError)) throw error;
    match(error.message, message);
    return true;
  });
}

Deno.test("strip() keeps lines and columns, and makes code of enums", async () => {
  await using stripper = new TypeStripper();
  equal(
    await stripper.strip("const a: number = 1;\nlet b;", "a.ts"),
    "const a         = 1;\nlet b;",
  );
  match(await stripper.strip("enum A { B }", "a.ts"), /A\["B"\] = 0/);
  equal(await stripper.strip("", "empty.ts"), "");
});

Deno.test("strip() tells where a syntax error is, by the name it was given", async () => {
  await using stripper = new TypeStripper();
  await refused(stripper.strip("const a = 1;\nconst = ;", "odd.ts"), /odd\.ts:2/);
  equal(await stripper.strip("let a;", "a.ts"), "let a;");
});

Deno.test("strip() survives code that is deeper than the parser's stack", async () => {
  await using stripper = new TypeStripper();
  const deep = {
    arrays: `export const x = ${"[".repeat(100_000)}`,
    words: `${"new ".repeat(100_000)}X`,
    hidden: "if (1) /[/*]/;" + "[".repeat(100_000) + "/**/",
    template: "`/*`;" + "{".repeat(100_000) + "/**/",
    types: `export type X = ${"A<".repeat(100_000)}B`,
  };
  for (const [name, source] of Object.entries(deep)) {
    await refused(stripper.strip(source, name), new RegExp(`^${name} is nested too deeply$`));
    equal(await stripper.strip("let a;", "a.ts"), "let a;");
  }
});

Deno.test("strip() does not wait for ever", async () => {
  await using stripper = new TypeStripper({ timeoutMs: 1 });
  await refused(
    stripper.strip("let a;".repeat(500_000), "long.ts"),
    /^long\.ts takes too long to read$/,
  );
});

Deno.test("strip() takes megabytes", async () => {
  await using stripper = new TypeStripper();
  const line = "const text: string = 'ünïcode and \\n escapes';\n";
  const source = line.repeat(50_000).replaceAll("const text", () => `const text`);
  const code = await stripper.strip(`{${source.split("\n").join("}\n{")}}`, "large.ts");
  equal(code.includes(": string"), false);
  equal(code.split("\n").length, 50_001);
});
