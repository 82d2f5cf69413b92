import assert from "node:assert/strict";
import { acceptChild, sameToken } from "./handshake.ts";

const TOKEN = "0123456789abcdef";

async function withSocket(
  body: (listener: Deno.UnixListener, path: string) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/rpc`;
  const listener = Deno.listen({ transport: "unix", path });
  try {
    await body(listener, path);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function connect(path: string, text: string): Promise<Deno.UnixConn> {
  const connection = await Deno.connect({ transport: "unix", path });
  await connection.write(new TextEncoder().encode(text));
  return connection;
}

Deno.test("acceptChild() takes the first that knows the token and hangs up on the others", async () => {
  await withSocket(async (listener, path) => {
    const accepting = acceptChild(listener, TOKEN);
    const strangers = [
      await connect(path, ""),
      await connect(path, "garbage\n"),
      await connect(path, `{"t":"hello","token":"wrong"}\n`),
      await connect(path, "x".repeat(70_000)),
    ];
    const child = await connect(
      path,
      `{"t":"hello","token":"${TOKEN}","walls":["seccomp"]}\nmore\n`,
    );
    const greeted = await accepting;
    assert.deepEqual(greeted.walls, ["seccomp"]);
    const { value } = await greeted.frames.next();
    assert.deepEqual(value, ["more"], "what came together with the greeting");
    for (const stranger of strangers) {
      assert.equal(await stranger.read(new Uint8Array(1)).catch(() => null), null);
      stranger.close();
    }
    await assert.rejects(connect(path, ""), "nobody is let in any more");
    greeted.connection.close();
    child.close();
  });
});

Deno.test("acceptChild() gives up when the listener is closed", async () => {
  await withSocket(async (listener) => {
    const accepting = acceptChild(listener, TOKEN);
    listener.close();
    await assert.rejects(accepting, /ended before it connected/);
  });
});

Deno.test("sameToken() accepts nothing but the token", () => {
  assert.ok(sameToken(TOKEN, TOKEN));
  for (const other of ["", TOKEN.slice(1), `${TOKEN}0`, TOKEN.replace("f", "e"), "undefined"]) {
    assert.ok(!sameToken(other, TOKEN), other);
  }
});
