import assert from "node:assert/strict";
import { makeTestTemp } from "./test_temp.ts";

const MODULE = new URL("test_temp.ts", import.meta.url).href;

Deno.test("makeTestTemp() holds what tests make and removes it, whatever they did to it", async () => {
  let path: string;
  {
    await using temp = await makeTestTemp();
    path = temp.path;
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o711, "others may pass, and see nothing");
    assert.ok(path.slice(path.lastIndexOf("/")).length < 24, path);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "console.log(Deno.makeTempDirSync())"],
      env: temp.env,
    }).output();
    const made = new TextDecoder().decode(stdout).trim();
    assert.ok(made.startsWith(`${path}/`), made);
    await Deno.mkdir(`${made}/closed/inner`, { recursive: true });
    await Deno.chmod(`${made}/closed`, 0o000);
  }
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
});

Deno.test("makeTestTemp() is removed after Ctrl-C", async () => {
  const script = `import { makeTestTemp } from "${MODULE}";
    Deno.addSignalListener("SIGINT", () => {});
    {
      await using temp = await makeTestTemp();
      const runner = new Deno.Command("sleep", { args: ["60"] }).spawn();
      console.log(temp.path, runner.pid);
      await runner.status;
    }
    Deno.exit(0);`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "-q",
      "--no-config",
      `data:application/typescript,${encodeURIComponent(script)}`,
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  const [path, pid] = value.trim().split(" ");
  assert.ok((await Deno.stat(path!)).isDirectory);
  // A terminal sends it to both.
  child.kill("SIGINT");
  Deno.kill(Number(pid), "SIGINT");
  await child.status;
  await reader.cancel();
  await assert.rejects(Deno.stat(path!), Deno.errors.NotFound);
});
