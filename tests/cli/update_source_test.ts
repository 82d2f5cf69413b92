/** Where `hermes update` looks for releases. */
import assert from "node:assert/strict";
import { runHermes, tempHome } from "../support/hermes.ts";

Deno.test("hermes update takes the address of releases from HERMES_RELEASES_URL and from --from", async () => {
  const asked: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(new URL(request.url).pathname);
    return Response.json({ version: "99.0.0", files: {} });
  });
  await using home = await tempHome();
  const url = `http://127.0.0.1:${server.addr.port}`;
  const check = (flags: string[], env: Record<string, string>) =>
    runHermes({ home: home.path, args: ["update", "--check", ...flags], env });
  const byVariable = await check([], { HERMES_RELEASES_URL: `${url}/variable` });
  assert.equal(byVariable.code, 0, byVariable.stderr);
  assert.match(byVariable.stdout, /^hermes 99\.0\.0 is out/);
  await check(["--from", `${url}/flag`], { HERMES_RELEASES_URL: `${url}/variable` });
  assert.deepEqual(asked, [
    "/variable/latest/download/manifest.json",
    "/flag/latest/download/manifest.json",
  ]);
  const nowhere = await check([], {});
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /HERMES_RELEASES_URL/);
});
