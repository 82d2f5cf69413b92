/** A parent that is killed while a plugin's program runs. Arguments: directory for sockets, the program. */
import { firstFrame, startProgram } from "./_guest.ts";

const [tempDir, program] = Deno.args;
const child = await startProgram(program!, { tempDir: tempDir!, after: "" });
console.log(await firstFrame(child));
await child.exited;
