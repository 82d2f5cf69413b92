/** Raises walls, prints the process that keeps their view, and waits to be killed. */
import { raiseAt, type WalledTask } from "./walled.ts";

const task: WalledTask = JSON.parse(Deno.args[0]!);
const walls = await raiseAt(task);
console.log(JSON.stringify(walls?.terminals ?? null));
await new Promise((resolve) => setTimeout(resolve, 60_000));
