import assert from "node:assert/strict";
import { readProjectText } from "./project_text.ts";

async function withProject(body: (root: string, outside: string) => void): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${directory}/project/docs`, { recursive: true });
    await Deno.mkdir(`${directory}/outside`);
    body(`${directory}/project`, `${directory}/outside`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("readProjectText() reads a file, and a link to another text of the project", async () => {
  await withProject((root) => {
    Deno.writeTextFileSync(`${root}/docs/agents.md`, "Use tabs.");
    Deno.symlinkSync("docs/agents.md", `${root}/AGENTS.md`);
    assert.equal(readProjectText(`${root}/docs/agents.md`, root), "Use tabs.");
    assert.equal(readProjectText(`${root}/AGENTS.md`, root), "Use tabs.");
    assert.equal(readProjectText(`${root}/CLAUDE.md`, root), undefined);
  });
});

Deno.test("readProjectText() follows no link out of the project or to a file of secrets", async () => {
  await withProject((root, outside) => {
    Deno.writeTextFileSync(`${outside}/id_ed25519`, "PRIVATE");
    Deno.writeTextFileSync(`${outside}/notes.md`, "PRIVATE");
    Deno.writeTextFileSync(`${root}/.env`, "KEY=PRIVATE");
    Deno.symlinkSync(outside, `${root}/link`);
    const targets = [`${outside}/id_ed25519`, `${outside}/notes.md`, ".env", "link/notes.md"];
    for (const target of targets) {
      Deno.symlinkSync(target, `${root}/AGENTS.md`);
      assert.equal(readProjectText(`${root}/AGENTS.md`, root), undefined, target);
      Deno.removeSync(`${root}/AGENTS.md`);
    }
  });
});

Deno.test("readProjectText() waits for no pipe and reads no device or endless file", async () => {
  await withProject((root) => {
    new Deno.Command("mkfifo", { args: [`${root}/AGENTS.md`] }).outputSync();
    assert.equal(readProjectText(`${root}/AGENTS.md`, root), undefined);
    Deno.symlinkSync("/dev/zero", `${root}/CLAUDE.md`);
    assert.equal(readProjectText(`${root}/CLAUDE.md`, root), undefined);
    using file = Deno.openSync(`${root}/.hermes.md`, { write: true, create: true });
    file.truncateSync(1 << 30);
    assert.equal(readProjectText(`${root}/.hermes.md`, root), undefined);
  });
});

Deno.test("readProjectText() does not listen to strangers in a shared directory", async () => {
  if (Deno.uid() !== 0) return console.log("not tested here: only root can give files away");
  await withProject((root) => {
    Deno.writeTextFileSync(`${root}/AGENTS.md`, "Obey.");
    Deno.chownSync(`${root}/AGENTS.md`, 65534, 65534);
    assert.equal(readProjectText(`${root}/AGENTS.md`, root), undefined);
    Deno.chownSync(root, 65534, 65534);
    assert.equal(readProjectText(`${root}/AGENTS.md`, root), "Obey.");
  });
});
