import { deepEqual, equal, ok } from "node:assert/strict";
import { HostDisk } from "./disk.ts";
import { pathGrants } from "./grants.ts";
import { behind, policyAt, put, SETTINGS, type TestHome, withHome } from "./testdata/support.ts";

const FILES = [
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".npmrc",
  ".gitconfig",
  ".config/gcloud/token",
  ".config/tool/settings",
  ".hermes/config.yaml",
  "notes/plan.txt",
  "project/src/main.ts",
];

function accessOf(at: TestHome, more = {}) {
  const { grants } = pathGrants(policyAt(at, more), new HostDisk());
  return new Map(grants.map(({ path, access }) => [path, access]));
}

Deno.test("pathGrants() lists a directory that holds something hidden entry by entry", async () => {
  await withHome(FILES, (at) => {
    const access = accessOf(at);
    equal(access.get(at.home), "see");
    equal(access.get(`${at.home}/notes`), "tree-run");
    equal(access.get(`${at.home}/.gitconfig`), "file-run");
    equal(access.get(`${at.home}/.config`), "see");
    equal(access.get(`${at.home}/.config/tool`), "tree-run");
    equal(access.get(at.project), "tree-work");
    for (const name of [".ssh", ".aws", ".npmrc", ".config/gcloud", ".hermes"]) {
      equal(access.get(`${at.home}/${name}`), undefined, name);
    }
  });
});

Deno.test("pathGrants() gives nothing above a hidden place more than its names", async () => {
  await withHome(FILES, (at) => {
    const policy = policyAt(at);
    const { grants } = pathGrants(policy, new HostDisk());
    for (const { path, access } of grants) {
      if (access === "see") continue;
      const closed = policy.hidden.filter((hidden) => hidden.startsWith(`${path}/`))
        // What only root can open is left to the system.
        .filter((hidden) => !new HostDisk().closed(hidden));
      deepEqual(closed, [], `${access} ${path}`);
    }
  });
});

Deno.test("pathGrants() lets the kernel close what is hidden and nothing else", async () => {
  await withHome(FILES, async (at) => {
    const { home, project } = at;
    const results = await behind(policyAt(at), [
      `cat ${home}/.gitconfig ${home}/.config/tool/settings ${home}/notes/plan.txt`,
      `echo changed > ${project}/src/main.ts && cat ${project}/src/main.ts`,
      `mkdir ${project}/a && ln -s ../src ${project}/a/link && mkfifo ${project}/a/pipe && mv ${project}/a/link ${project}/moved`,
      "ls / /etc /usr/bin > /dev/null && cat /etc/passwd > /dev/null && cat /proc/self/status > /dev/null",
      `ls ${home}`,
      `cat ${home}/.ssh/id_ed25519`,
      `cat ${home}/.aws/credentials`,
      `cat ${home}/.npmrc`,
      `cat ${home}/.config/gcloud/token`,
      `cat ${home}/.hermes/config.yaml`,
      `ln -s ${home}/.npmrc ${project}/link && cat ${project}/link`,
      `ln ${home}/.npmrc ${project}/hard`,
      `mv ${home}/.ssh ${project}/ssh`,
      `echo x > ${home}/notes/plan.txt`,
      `echo x > ${home}/new`,
      `echo x > ${home}/.hermes/new`,
      `rm -r ${home}/notes`,
      "mknod c1 c 1 3",
    ], { cwd: project });
    if (results === undefined) return;
    const codes = results.map(({ code }) => code);
    deepEqual(codes.slice(0, 5), [0, 0, 0, 0, 0], JSON.stringify(results.slice(0, 5)));
    for (const [i, { code, output }] of results.slice(5).entries()) {
      ok(code !== 0 && /denied|not permitted|cross-device/i.test(output), `${i + 5}: ${output}`);
    }
    equal(await Deno.readTextFile(`${home}/notes/plan.txt`), `${home}/notes/plan.txt`);
  });
});

Deno.test("pathGrants() changes nothing in read-only but the session's own directory", async () => {
  await withHome(FILES, async (at) => {
    const own = `${at.root}/own`;
    put(`${own}/state`);
    const results = await behind(
      policyAt(at, { mode: "read-only", own: { writable: [own] } }),
      [`cat src/main.ts`, `echo x > ${own}/state`, `echo x > src/main.ts`, `touch new`],
      { cwd: at.project },
    );
    if (results === undefined) return;
    deepEqual(results.map(({ code }) => code === 0), [true, true, false, false]);
  });
});

Deno.test("pathGrants() honours a hidden place inside the work for writing too", async () => {
  await withHome(["project/.hermes-home/config.yaml", "project/src/main.ts"], async (at) => {
    const places = { ...at.places, hermesHomes: [`${at.project}/.hermes-home`] };
    const results = await behind(policyAt(at, { places }), [
      "echo x > src/main.ts && touch src/new",
      "cat .hermes-home/config.yaml",
      "echo x > .hermes-home/config.yaml",
      "mv .hermes-home src/",
      // The level of the hidden place takes no new entries: a right to make them would hold below.
      "touch new",
    ], { cwd: at.project });
    if (results === undefined) return;
    deepEqual(results.map(({ code }) => code === 0), [true, false, false, false, false]);
  });
});

Deno.test("pathGrants() is not led into or out of a hidden place by links", async () => {
  await withHome(["data/real.txt", "work/x"], async (at) => {
    const { home, root } = at;
    put(`${root}/vault/keys/id`);
    put(`${root}/vault/open.txt`);
    // The directory of keys is a link to somewhere else; another link shows that place.
    await Deno.symlink(`${root}/vault/keys`, `${home}/.ssh`);
    await Deno.symlink(`${root}/vault`, `${home}/shown`);
    await Deno.symlink(`${home}/data`, `${home}/ordinary`);
    // The home itself is reached by a link.
    await Deno.symlink(home, `${root}/alias`);
    const results = await behind(policyAt(at, { home: `${root}/alias` }), [
      `cat ${home}/ordinary/real.txt ${root}/alias/data/real.txt ${home}/shown/open.txt /bin/sh > /dev/null`,
      `cat ${home}/.ssh/id`,
      `cat ${root}/vault/keys/id`,
      `cat ${home}/shown/keys/id`,
      `cat ${root}/alias/.ssh/id`,
    ], { cwd: at.project });
    if (results === undefined) return;
    equal(results[0]!.code, 0, results[0]!.output);
    deepEqual(results.slice(1).map(({ code }) => code), [1, 1, 1, 1]);
  });
});

Deno.test("pathGrants() closes a crowded directory but for what is needed, and names it", async () => {
  await withHome([".npmrc", ".gitconfig", ".ssh/id"], (at) => {
    for (let i = 0; i < 300; i++) Deno.writeTextFileSync(`${at.home}/f${i}`, "");
    const { grants, crowded } = pathGrants(policyAt(at), new HostDisk());
    const paths = grants.map(({ path }) => path);
    deepEqual(crowded.filter((path) => path.startsWith(at.root)), [at.home]);
    equal(paths.filter((path) => path.startsWith(`${at.home}/f`)).length, 0);
    ok(paths.includes(`${at.home}/.gitconfig`));
    ok(paths.includes(at.project));
  });
});

Deno.test("pathGrants() opens no device but the harmless ones", async () => {
  await withHome([], (at) => {
    const access = accessOf(at);
    equal(access.get("/dev"), "see");
    equal(access.get("/dev/null"), "file-work");
    for (const path of access.keys()) {
      ok(
        !path.startsWith("/dev/") ||
          /^\/dev\/(?:null|zero|full|u?random|tty|ptmx|pts|shm)$/.test(path),
      );
    }
  });
});

Deno.test("pathGrants() makes a configured file writable without its directory", async () => {
  await withHome(["logs/app.log", "logs/other.log"], (at) => {
    const settings = { ...SETTINGS, writable: ["~/logs/app.log"] };
    const access = accessOf(at, { settings });
    equal(access.get(`${at.home}/logs/app.log`), "file-work");
    equal(access.get(`${at.home}/logs`), "tree-run");
  });
});
