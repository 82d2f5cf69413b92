/** Listens on every descriptor. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { createServer } = await import("node:net");
const servers = [];`,
  script: `servers.push(createServer().on("error", () => {}).listen({ fd }));
    return servers.find((server) => server.listening && server.address()) ? "listening" : undefined;`,
  python: `socket.socket(fileno=os.dup(fd)).listen()
gained = "listening"`,
});
