import { equal } from "node:assert/strict";
import { isOwnerGone, thisOwner } from "./owner.ts";

Deno.test("isOwnerGone() knows itself, the dead, earlier boots and strangers", async () => {
  const owner = await thisOwner();
  equal(await isOwnerGone(owner), false);
  const [host, boot, space, pid, started] = owner.split("/");
  const child = new Deno.Command("true").spawn();
  const dead = child.pid;
  await child.status;
  equal(await isOwnerGone([host, boot, space, dead, started].join("/")), true);
  equal(await isOwnerGone([host, boot, space, pid, "1"].join("/")), true, "the pid was used again");
  equal(await isOwnerGone([host, "earlier", space, pid, started].join("/")), true);
  equal(await isOwnerGone([host, boot, "pid:other", dead, started].join("/")), false);
  equal(await isOwnerGone(["elsewhere", boot, space, dead, started].join("/")), false);
  equal(await isOwnerGone("nonsense"), false);
  equal(await isOwnerGone(""), false);
});
