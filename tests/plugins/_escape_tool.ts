/** The plugin that tries to get out: one tool that runs an attempt of `tests/sandbox/escapes`. */
import { toolModule } from "./_bench.ts";

/** Tries one way out and tells what came of it, as the sandbox's own suite does. */
export const ATTEMPT = toolModule(
  "attempt",
  `const source = "export default async () => {\\n" + args.code + "\\n}";
   const module = await import("data:application/javascript," + encodeURIComponent(source));
   const late = new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), 1500));
   try {
     const gained = await Promise.race([module.default(), late]);
     const nothing = gained === undefined || gained === null || gained === false;
     return nothing ? { refused: "nothing gained" } : { gained: String(gained).slice(0, 300) };
   } catch (error) { return { refused: String(error) }; }`,
);
