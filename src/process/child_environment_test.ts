import { deepEqual } from "node:assert/strict";
import { clientEnvironment, commandEnvironment } from "./child_environment.ts";

Deno.test("commandEnvironment() passes what is named, and completes PATH and HOME", () => {
  const child = commandEnvironment(
    { A_TOKEN: "1", B_TOKEN: "2", OWN: "3", LANG: "C", PATH: "/mine:/usr/bin" },
    { pass: ["B_TOKEN", "ABSENT"], home: "/home/me" },
  );
  const { PAGER, GIT_PAGER, LESSSECURE, GH_PAGER: _g, MANPAGER: _m, SYSTEMD_PAGER: _s, ...rest } =
    child;
  deepEqual([PAGER, GIT_PAGER, LESSSECURE], ["cat", "cat", "1"]);
  deepEqual(rest, {
    B_TOKEN: "2",
    LANG: "C",
    HOME: "/home/me",
    PATH: "/mine:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin",
  });
});

Deno.test("clientEnvironment() lets a program of hermes log in to a proxy", () => {
  const env = { PATH: "/bin", HOME: "/h", HTTPS_PROXY: "http://me:pw@proxy:1", A_TOKEN: "1" };
  const options = { pass: [], home: "/h" };
  deepEqual(clientEnvironment(env, options).HTTPS_PROXY, "http://me:pw@proxy:1");
  deepEqual(commandEnvironment(env, options).HTTPS_PROXY, "http://proxy:1");
  deepEqual(clientEnvironment(env, options).A_TOKEN, undefined);
});
