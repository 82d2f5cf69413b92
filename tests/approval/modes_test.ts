/** Symbolic modes are judged by what `chmod` makes of them. */
import assert from "node:assert/strict";
import { decide } from "../../src/approval/decide.ts";
import { Random } from "./mutate.ts";

const MODES = 150;
const POLICY = {
  home: "/home/me",
  cwd: "/home/me/project",
  places: { homes: ["/home/me"], hermesHomes: [], trustedBase: [] },
  hermesPrograms: [],
};

function randomClause(random: Random): string {
  const who = Array.from({ length: random.below(3) }, () => random.pick([..."ugoa"])).join("");
  const steps = Array.from({ length: 1 + random.below(3) }, () => {
    const names = random.chance(0.2)
      ? random.pick([..."ugo"])
      : Array.from({ length: random.below(4) }, () => random.pick([..."rwxXst"])).join("");
    return random.pick([..."-+="]) + names;
  });
  return who + steps.join("");
}

function randomMode(random: Random): string {
  if (random.chance(0.15)) return random.pick(["", "+", "="]) + random.below(0o10000).toString(8);
  return Array.from({ length: 1 + random.below(3) }, () => randomClause(random)).join(",");
}

/** The permissions that each mode gives a file that only its owner reads and writes. */
async function applied(modes: readonly string[]): Promise<(number | undefined)[]> {
  const dir = await Deno.makeTempDir();
  try {
    const script = `umask 022; for mode do : > "${dir}/f"; chmod 600 "${dir}/f"
      chmod -- "$mode" "${dir}/f" 2>/dev/null && stat -c %a "${dir}/f" || echo none
      rm -f "${dir}/f"; done`;
    const { stdout } = await new Deno.Command("sh", { args: ["-c", script, "sh", ...modes] })
      .output();
    return new TextDecoder().decode(stdout).trim().split("\n")
      .map((line) => line === "none" ? undefined : parseInt(line, 8));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test({
  name: "decide() asks about a mode that sets a bit or lets others write, and about no other",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const random = new Random(12);
    const modes = Array.from({ length: MODES }, () => randomMode(random));
    const bits = await applied(modes);
    assert.equal(bits.length, modes.length);
    for (const [i, mode] of modes.entries()) {
      if (bits[i] === undefined) continue;
      const wanted = (bits[i] & 0o6002) !== 0 ? "prompt" : "allow";
      assert.equal(decide(`chmod -- '${mode}' f`, POLICY).decision, wanted, mode);
    }
  },
});
