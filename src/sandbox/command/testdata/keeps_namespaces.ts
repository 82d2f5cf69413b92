/** Raises walls, prints the process that keeps their view, and waits to be killed. */
import { raiseAt, type WalledTask } from "./walled.ts";

const task: WalledTask = JSON.parse(Deno.args[0]!);
const walls = await raiseAt(task);
await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(walls?.terminals ?? null)}\n`));
await new Promise((resolve) => setTimeout(resolve, 60_000));
