/** Takes the class of handles from a stream that has one, and adopts every descriptor. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { Server } = await import("node:net");
const server = new Server().on("error", () => {});
try { server.listen("/nowhere/socket"); } catch { /* it may have a handle nevertheless */ }
const classes = [server._handle, process.stdout._handle, process.stdin._handle, process.stderr._handle]
  .flatMap((handle) => handle ? [handle.constructor] : []);`,
  script: `for (const Handle of classes) {
      const handle = new Handle(0);
      if (handle.open?.(fd) !== 0) continue;
      handle.writeUtf8String?.({ oncomplete() {} }, new TextDecoder().decode(bytes));
    }`,
});
