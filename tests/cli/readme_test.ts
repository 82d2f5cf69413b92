/** The README's first command does what the README shows. */
import { match, ok, strictEqual } from "node:assert/strict";
import { runHermes, tempHome } from "../support/hermes.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** Numbers and ids differ from machine to machine. */
function masked(text: string): string {
  return text.replaceAll(/\b[0-9a-z]{26}\b/g, "ID").replaceAll(/\d+(\.\d+)?/g, "N");
}

/** `…` stands for anything, on a line of its own for any lines. */
function toPattern(transcript: string): RegExp {
  const literal = transcript.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const loose = literal.replaceAll(/^ *…\n/gm, "(?:.*\n)*?").replaceAll("…", ".*");
  return new RegExp(`^${loose}\n$`);
}

Deno.test("README.md shows what its first command prints", async () => {
  const readme = await Deno.readTextFile(`${ROOT}/README.md`);
  const [, prompt, shown] = /\$ deno task hermes run --model offline '([^']*)'\n([\s\S]*?)\n```/
    .exec(readme)!;
  ok(readme.includes(`npx --yes deno@2.9.5 task hermes run --model offline '${prompt}'`));
  await using home = await tempHome();
  const args = ["run", "--model", "offline", prompt!];
  const outcome = await runHermes({ home: home.path, cwd: ROOT, args });
  strictEqual(outcome.code, 0, outcome.stderr);
  match(masked(outcome.stderr + outcome.stdout), toPattern(masked(shown!)));
  const tokens = (text: string) => Number(/(\d+) tokens in/.exec(text)![1]);
  const off = Math.abs(tokens(shown!) / tokens(outcome.stderr) - 1);
  ok(off < 0.1, `the README shows ${tokens(shown!)} tokens in, it is ${tokens(outcome.stderr)}`);
  strictEqual(
    Number(/README\.md has (\d+) lines/.exec(shown!)?.[1]),
    readme.split("\n").length - 1,
  );
});
