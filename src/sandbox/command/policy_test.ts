import { deepEqual, equal, ok } from "node:assert/strict";
import type { SandboxGrant } from "../../protocol/sandbox.ts";
import { isWithin } from "../../util/path.ts";
import { protectionOf } from "../../util/protected_paths.ts";
import { HOME_ROWS, SYSTEM_SECRETS } from "../../util/protected_paths_data.ts";
import {
  HOME_CREDENTIALS,
  HOME_HISTORIES,
  SYSTEM_SECRET_PLACES,
} from "../../util/secret_places_data.ts";
import { placeOf } from "./place_of.ts";
import { policyAt, put, SETTINGS, withHome } from "./testdata/support.ts";

function grant(kind: SandboxGrant["kind"], value: string): SandboxGrant {
  return { scope: "session", kind, value, project: "", createdAt: "2026-01-01T00:00:00Z" };
}

Deno.test("sandboxPolicy() hides every place that the rules call credentials or history, and no other", async () => {
  await withHome([], (at) => {
    const policy = policyAt(at);
    const listed = [...HOME_CREDENTIALS, ...HOME_HISTORIES];
    for (const place of listed) {
      const path = `${at.home}/${place.replace(/\/$/, "")}`;
      const kind = protectionOf(path, at.places)?.kind;
      ok(kind === "credentials" || kind === "history", `the rules call ${path} ${kind}`);
      equal(placeOf(policy, path), "hidden", path);
      if (place.endsWith("/")) equal(placeOf(policy, `${path}/x/y`), "hidden", path);
    }
    // The other way: a rule about credentials below a home is made of the list, not written twice.
    const rows = HOME_ROWS.filter(({ kind }) => kind === "credentials" || kind === "history");
    equal(rows.length, 2);
    const paths = listed.map((place) => place.toLowerCase().replace(/\/$/, ""));
    for (const { pattern } of rows) {
      for (const part of pattern.source.slice(4, -1).split("|").filter((one) => one !== "$)")) {
        const path = part.replace(/\(\?:\\\/$|\$$/, "").replaceAll("\\", "");
        ok(paths.includes(path), `${path} has a rule and no place in the list`);
      }
    }
    for (const place of SYSTEM_SECRET_PLACES) {
      ok(SYSTEM_SECRETS.test(place), place);
      equal(placeOf(policy, place), "hidden", place);
    }
  });
});

Deno.test("sandboxPolicy() hides other users, sockets, other sessions and keys by their names", async () => {
  await withHome([], (at) => {
    const env = {
      XDG_RUNTIME_DIR: `${at.root}/runtime`,
      SSH_AUTH_SOCK: `${at.root}/agent/socket`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${at.root}/bus,guid=1`,
      DOCKER_HOST: `unix://${at.root}/docker.sock`,
      TMUX: `${at.root}/tmux/default,123,0`,
    };
    const policy = policyAt(at, { env });
    for (
      const path of [
        "/home/other/notes",
        "/root/x",
        "/Users/other",
        "/run/docker.sock",
        "/run/user/1000/bus",
        "/run/secrets/key",
        "/tmp/.X11-unix/X0",
        "/tmp/tmux-1000/default",
        "/tmp/ssh-abc/agent.1",
        "/tmp/hermes-env-12-abc/1",
        "/var/tmp/hermes-child-3-x/y",
        "/srv/keys/id_ed25519",
        "/etc/ssh/ssh_host_xmss_key",
        `${at.root}/runtime/x`,
        `${at.root}/agent/socket`,
        `${at.root}/bus`,
        `${at.root}/docker.sock`,
        `${at.root}/tmux/default`,
      ]
    ) equal(placeOf(policy, path), "hidden", path);
    for (
      const path of ["/usr/bin/env", "/etc/hosts", "/opt/x", `${at.home}/notes`, "/tmp/build.log"]
    ) {
      equal(placeOf(policy, path), "read", path);
    }
  });
});

Deno.test("sandboxPolicy() keeps hermes itself closed whatever is granted", async () => {
  await withHome([".hermes/config.yaml", "bin/hermes", "cache/bin/x"], (at) => {
    const places = {
      ...at.places,
      trustedBase: [`${at.home}/cache/bin`, `${at.home}/bin/hermes`],
      secrets: [`${at.home}/dots/keys.env`],
    };
    const policy = policyAt(at, {
      places,
      settings: { ...SETTINGS, writable: ["~", "~/.hermes", "~/cache/bin"] },
      grants: [
        grant("path-write", `${at.home}/.hermes`),
        grant("path-read", `${at.home}/.hermes/config.yaml`),
        grant("path-read", `${at.home}/dots/keys.env`),
        grant("path-write", `${at.home}/bin/hermes`),
      ],
    });
    for (const path of [".hermes", ".hermes/config.yaml", "cache/bin/x", "dots/keys.env"]) {
      equal(placeOf(policy, `${at.home}/${path}`), "hidden", path);
    }
    // One program among others can be read, and is not changed.
    equal(placeOf(policy, `${at.home}/bin/hermes`), "read");
    equal(placeOf(policy, `${at.home}/bin/other`), "write");
  });
});

Deno.test("sandboxPolicy() has no work where the session's directory is hermes' own or among keys", async () => {
  await withHome([".hermes/x/y", ".ssh/sub/id"], (at) => {
    for (const cwd of [`${at.home}/.hermes/x`, `${at.home}/.ssh`, `${at.home}/.ssh/sub`]) {
      const policy = policyAt(at, { cwd });
      deepEqual(policy.workspace, [], cwd);
      equal(placeOf(policy, `${cwd}/id`), "hidden", cwd);
    }
  });
});

Deno.test("sandboxPolicy() opens exactly what was granted", async () => {
  await withHome([".aws/config", ".aws/credentials", "other/x"], (at) => {
    const policy = policyAt(at, {
      grants: [grant("path-read", `${at.home}/.aws/config`), grant("path-write", "~/other")],
    });
    equal(placeOf(policy, `${at.home}/.aws/config`), "read");
    equal(placeOf(policy, `${at.home}/.aws/credentials`), "hidden");
    equal(placeOf(policy, `${at.home}/other/x`), "write");
    equal(placeOf(policy, `${at.home}/others`), "read");
  });
});

Deno.test("sandboxPolicy() lets a granted host through a closed network", async () => {
  await withHome([], (at) => {
    const grants = [grant("host", "example.com")];
    equal(policyAt(at, { grants }).network, "on");
    deepEqual(policyAt(at, { grants, network: "off" }).network, { hosts: ["example.com"] });
    deepEqual(policyAt(at, { grants, network: { hosts: ["a.org"] } }).network, {
      hosts: ["a.org", "example.com"],
    });
    equal(policyAt(at, { mode: "read-only" }).network, "off");
  });
});

Deno.test("sandboxPolicy() changes nothing in read-only but what is the session's own or granted", async () => {
  await withHome(["cache/x", "state/x"], (at) => {
    const policy = policyAt(at, {
      mode: "read-only",
      settings: { ...SETTINGS, writable: ["~/cache"], caches: "private" },
      own: { writable: [`${at.home}/state`] },
      grants: [grant("path-write", `${at.home}/given`)],
    });
    deepEqual(policy.writable, [`${at.home}/state`, `${at.home}/given`]);
    equal(placeOf(policy, `${at.project}/x`), "read");
    deepEqual(policy.own, []);
  });
});

Deno.test("sandboxPolicy() keeps start-up files unchanged where the home itself is the work", async () => {
  await withHome([".bashrc", ".config/x", "notes/a"], (at) => {
    const policy = policyAt(at, { cwd: at.home });
    deepEqual(policy.workspace, [at.home]);
    equal(placeOf(policy, `${at.home}/notes/a`), "write");
    for (const name of [".bashrc", ".config/x", "bin/tool"]) {
      equal(placeOf(policy, `${at.home}/${name}`), "read", name);
    }
  });
});

Deno.test("sandboxPolicy() is not made to close everything by a link", async () => {
  await withHome(["notes/a"], async (at) => {
    await Deno.symlink("/", `${at.home}/.kube`);
    await Deno.symlink(at.home, `${at.home}/.azure`);
    await Deno.symlink(at.project, `${at.home}/.oci`);
    await Deno.symlink("/usr", `${at.home}/.snowflake`);
    const policy = policyAt(at);
    equal(placeOf(policy, "/usr/bin/env"), "read");
    equal(placeOf(policy, `${at.home}/notes/a`), "read");
    equal(placeOf(policy, `${at.project}/x`), "write");
  });
});

Deno.test("sandboxPolicy() hides what a link among the keys leads to", async () => {
  await withHome([], async (at) => {
    put(`${at.root}/vault/aws/credentials`);
    await Deno.symlink(`${at.root}/vault/aws`, `${at.home}/.aws`);
    put(`${at.root}/dots/config/gcloud/token`);
    await Deno.symlink(`${at.root}/dots/config`, `${at.home}/.config`);
    const policy = policyAt(at);
    equal(placeOf(policy, `${at.root}/vault/aws/credentials`), "hidden");
    equal(placeOf(policy, `${at.root}/dots/config/gcloud/token`), "hidden");
    equal(placeOf(policy, `${at.root}/dots/config/other`), "read");
  });
});

Deno.test("sandboxPolicy() adds configured places, with ~ and relative to the directory", async () => {
  await withHome(["out/x", "secret/x"], (at) => {
    const settings = { ...SETTINGS, writable: ["~/out", "../sibling", " "], hidden: ["~/secret"] };
    const policy = policyAt(at, { settings });
    equal(placeOf(policy, `${at.home}/out/x`), "write");
    equal(placeOf(policy, `${at.home}/sibling`), "write");
    equal(placeOf(policy, `${at.home}/secret/x`), "hidden");
  });
});

Deno.test("sandboxPolicy() keeps the person's home open where all homes are closed or opened", async () => {
  await withHome(["a"], (at) => {
    ok(policyAt(at).readable.includes(at.home));
    const wide = policyAt(at, { settings: { ...SETTINGS, writable: [`${at.root}/home`] } });
    equal(placeOf(wide, `${at.home}/a`), "write");
    ok(wide.hidden.every((path) => !isWithin(at.home, path)));
  });
});

Deno.test("sandboxPolicy() limits memory where the settings do, and processes always", async () => {
  await withHome([], (at) => {
    deepEqual(policyAt(at).limits, { processes: 16_384, memoryBytes: 0 });
    const settings = { ...SETTINGS, memoryMb: 512 };
    equal(policyAt(at, { settings }).limits.memoryBytes, 512 * 2 ** 20);
  });
});
