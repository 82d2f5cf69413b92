/** A root file system that has nothing but busybox, for machines without a registry. */
import { needProgram, run, ServiceUnavailable } from "./_service.ts";

export const TEST_IMAGE = "hermes-test:busybox";

/** A tar archive: busybox, its applets as links, a place for temporary files. */
export async function busyboxArchive(dir: string): Promise<Uint8Array> {
  const busybox = await needProgram("busybox", "busybox-static");
  const root = `${dir}/image`;
  const { code, output } = await run([
    "/bin/sh",
    "-c",
    `set -e; mkdir -p ${root}; cd ${root}
chmod 755 .; mkdir -p bin etc tmp proc dev sys root; chmod 1777 tmp; cp ${busybox} bin/busybox
for name in $(bin/busybox --list); do [ -e bin/$name ] || ln -s busybox bin/$name; done
echo root:x:0:0:root:/root:/bin/sh >etc/passwd; echo root:x:0: >etc/group
tar -c . >${dir}/image.tar`,
  ]);
  if (code !== 0) throw new ServiceUnavailable(`cannot make an image: ${output.trim()}`);
  return await Deno.readFile(`${dir}/image.tar`);
}
