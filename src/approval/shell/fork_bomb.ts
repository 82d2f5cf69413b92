/** Recognises a fork bomb by its shape, whatever the function is called. */
import type { Command } from "./shell_ast.ts";

/** Whether a function's body starts the function itself in a pipe or in the background. */
export function isForkBomb(name: string, body: Command): boolean {
  return forksItself(body, { name, alone: true });
}

/** `alone` until a pipe or `&` has been passed on the way down. */
function forksItself(command: Command, options: { name: string; alone: boolean }): boolean {
  const { name, alone } = options;
  if (command.kind === "function") return false;
  if (command.kind === "simple") return !alone && command.words[0]?.raw === name;
  return command.bodies.some((body) =>
    body.statements.some(({ pipelines, background }) =>
      pipelines.some(({ stages }) =>
        stages.some((stage) =>
          forksItself(stage, { name, alone: alone && !background && stages.length === 1 })
        )
      )
    )
  );
}
