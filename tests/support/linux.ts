/** Tests of what only Linux has. Elsewhere they are ignored and their names say why. */

/** Runs `body` with a directory of its own, which is removed afterwards. */
export function linuxTest(name: string, body: (directory: string) => Promise<void>): void {
  if (Deno.build.os !== "linux") {
    Deno.test({ name: `${name} NOT TESTED HERE: it needs Linux`, ignore: true, fn() {} });
    return;
  }
  Deno.test(name, async () => {
    const directory = await Deno.makeTempDir({ prefix: "hermes-linux-" });
    try {
      await body(directory);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}
