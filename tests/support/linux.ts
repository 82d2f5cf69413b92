/** Tests of what only Linux has. Elsewhere they are ignored and their names say why. */

/** The name of a test that needs Linux, and whether it is left out; the name says so then. */
export function onLinux(name: string): { name: string; ignore: boolean } {
  const ignore = Deno.build.os !== "linux";
  return { name: ignore ? `${name} NOT TESTED HERE: it needs Linux` : name, ignore };
}

/** Runs `body` with a directory of its own, which is removed afterwards. */
export function linuxTest(name: string, body: (directory: string) => Promise<void>): void {
  Deno.test({
    ...onLinux(name),
    async fn() {
      const directory = await Deno.makeTempDir({ prefix: "hermes-linux-" });
      try {
        await body(directory);
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}
