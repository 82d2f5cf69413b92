import { deepEqual, equal, match } from "node:assert/strict";
import type { NetworkAccess } from "../../protocol/sandbox.ts";
import { missingWalls, type StandingWalls, standsFully, systemGap, wallLines } from "./standing.ts";

const FULL: StandingWalls = {
  landlock: 7,
  view: "full",
  sockets: { network: "any", unix: true },
  network: "on",
};

function gaps(standing: Partial<StandingWalls>, words: Parameters<typeof wallLines>[1] = {}) {
  return wallLines({ ...FULL, ...standing }, words).filter(({ stands }) => !stands)
    .map(({ text }) => text);
}

Deno.test("wallLines() has no gap where everything stands, also in a user namespace", () => {
  deepEqual(gaps({}), []);
  deepEqual(gaps({ view: "own users" }), []);
  const shown = wallLines({ ...FULL, view: "own users" }).map(({ text }) => text).join("\n");
  match(shown, /^files: Landlock 7 of the kernel$/m);
  match(shown, /files of others are nobody's/);
});

Deno.test("wallLines() names each gap of a lesser kernel", () => {
  const cases: [Partial<StandingWalls>, RegExp[]][] = [
    [{ view: "none" }, [/^view of the file system: none/]],
    [{ landlock: 5 }, [/^other programs: signals reach yours \(Landlock 6/]],
    [{ landlock: 2, view: "none" }, [
      /^view of the file system: none/,
      /^emptying files: possible outside the work/,
      /^other programs/,
    ]],
    [{ landlock: 0 }, [/the view alone keeps them$/, /their variables can be read$/]],
    [{ landlock: 0, view: "none" }, [/nothing keeps them$/, /^view/, /^other programs/]],
  ];
  for (const [standing, wanted] of cases) {
    const found = gaps(standing);
    equal(found.length, wanted.length, found.join("\n"));
    wanted.forEach((pattern, i) => match(found[i]!, pattern));
  }
});

Deno.test("wallLines() names the setting that refuses namespaces", () => {
  const refusedBy = "user.max_user_namespaces = 0";
  match(
    gaps({ view: "none" }, { refusedBy })[0]!,
    /no namespaces \(user\.max_user_namespaces = 0\)/,
  );
});

Deno.test("wallLines() tells a network that is kept from one that is not", () => {
  deepEqual(gaps({ network: "off" }), []);
  match(gaps({ network: "off" }, { network: "loopback" })[0]!, /^network loopback: cannot be kept/);
  const hosts = { hosts: ["a.example", "b.example:8443"] };
  const lines = wallLines({ ...FULL, network: hosts }, { network: { hosts: [...hosts.hosts] } });
  deepEqual(lines.at(-1), {
    stands: true,
    text: "network: a.example,b.example:8443, through a proxy",
  });
});

Deno.test("missingWalls() is one line for what was asked for and does not stand", () => {
  const missing = (standing: Partial<StandingWalls>, network: NetworkAccess = "on") =>
    missingWalls({ ...FULL, ...standing }, network, { os: "linux" });
  equal(missing({}), undefined);
  equal(missing({ view: "none" }), undefined);
  match(missing({ landlock: 0, view: "none" })!, /without walls around files/);
  match(missingWalls(undefined, "on", { os: "linux" })!, /without walls around files/);
  match(missing({ network: "off" }, "loopback")!, /--network loopback cannot be kept/);
  match(missingWalls(undefined, "on", { os: "darwin" })!, /on macOS/);
});

Deno.test("systemGap() is honest about systems without walls", () => {
  equal(systemGap("linux"), undefined);
  match(systemGap("darwin")!, /on macOS hermes raises none yet/);
  match(systemGap("windows")!, /not Linux/);
});

Deno.test("standsFully() is false as soon as something is left to a command's good will", () => {
  equal(standsFully(FULL), true);
  equal(standsFully({ ...FULL, view: "none" }), false);
  equal(standsFully({ ...FULL, landlock: 5 }), false);
});
