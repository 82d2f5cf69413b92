/** The model of a resumed session when it is at an address of the settings, not at a named provider. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { RouteTable } from "../../src/host/routes.ts";
import { resolveRoute, type Route, type RouteOptions } from "../../src/providers/route.ts";
import type { SessionSpec } from "../../src/protocol/session_spec.ts";
import { Store } from "../../src/store/store.ts";
import { startFakeModel } from "../support/fake_model_server.ts";
import { input, openTestHost, type TestHost } from "../support/test_host.ts";

const SPEC: SessionSpec = { surface: "run", toolsets: { enabled: [] } };

/** No model anywhere, whatever runs on this machine. */
async function offline(options: RouteOptions): Promise<Route> {
  return { ...await resolveRoute({ ...options, provider: "offline" }), source: "offline" };
}

/** A host whose settings name this address, or none; with the sessions of an earlier host. */
async function openAt(url: string, model: string, earlier?: TestHost): Promise<TestHost> {
  const bench = await openTestHost({
    routes: url === "" ? new RouteTable(offline) : new RouteTable(),
    config: url === "" ? {} : { "model.base_url": url, "model.default": model },
  });
  const path = ({ host }: TestHost) => host.settings.home.path("state.db");
  if (earlier === undefined) return bench;
  await Deno.mkdir(bench.host.settings.home.dir, { recursive: true });
  await Deno.copyFile(path(earlier), path(bench));
  return bench;
}

/** One turn of a session of `other-model`, which then ends; its host is closed. */
async function earlierSession(bench: TestHost): Promise<string> {
  const { session } = await bench.host.open({ ...SPEC, model: { name: "other-model" } });
  session.submit(input("go"));
  await session.idle;
  await session.end("done");
  return session.id;
}

/** Opens it without naming a model; gives the model and what a person is told. */
async function resumed({ host }: TestHost, id: string) {
  const lines: string[] = [];
  const { session } = await host.open({ ...SPEC, resume: { session: id } }, {
    tell: (line) => lines.push(line),
  });
  return { session, model: session.model, lines };
}

Deno.test("a session goes on with its own model at the address of the settings", async () => {
  await using server = startFakeModel({ replies: () => ({ text: "done" }) });
  await using bench = await openAt(server.url, "fake-model");
  const id = await earlierSession(bench);
  const { session, model, lines } = await resumed(bench, id);
  deepEqual([model, lines], ["custom/other-model", []]);
  session.submit(input("again"));
  await session.idle;
  deepEqual(server.requests.map(({ body }) => body.model), ["other-model", "other-model"]);
  using store = new Store(bench.host.settings.home.path("state.db"));
  equal(store.getSession(id)!.model, "other-model");
  equal(store.note(id, "model_address"), server.url);
});

Deno.test("a session whose address the settings no longer name goes on with theirs, and says so", async () => {
  await using server = startFakeModel({ replies: () => ({ text: "done" }) });
  await using first = await openAt(server.url, "fake-model");
  const id = await earlierSession(first);
  await first.host.close();
  await using moved = await openAt("http://127.0.0.1:2/v1", "new-model", first);
  const { model, lines } = await resumed(moved, id);
  equal(model, "custom/new-model");
  match(
    lines.join("\n"),
    new RegExp(
      `used other-model at ${server.url}; .*goes on with custom/new-model\\. ` +
        `Back: --base-url ${server.url} --model other-model`,
    ),
  );
  await using bare = await openAt("", "", first);
  await rejects(resumed(bare, id), {
    message: `session ${id} used other-model at ${server.url}`,
    hint: `Name it again: --base-url ${server.url} --model other-model`,
  });
});

Deno.test("a session of an older hermes, which kept no address, goes on at that of the settings", async () => {
  await using server = startFakeModel({ replies: () => ({ text: "done" }) });
  await using first = await openAt(server.url, "fake-model");
  const id = await earlierSession(first);
  await first.host.close();
  {
    using store = new Store(first.host.settings.home.path("state.db"));
    store.setNote(id, "model_address", "");
  }
  await using later = await openAt(server.url, "fake-model", first);
  const { model, lines } = await resumed(later, id);
  // The directory is another one too, and that is told.
  deepEqual([model, lines.filter((line) => line.includes("model"))], ["custom/other-model", []]);
});
