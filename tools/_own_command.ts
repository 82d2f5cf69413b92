/**
 * How tools start programs that the model did not ask for: searching, counting, checking
 * syntax. They run in `/` and in a task of their own, so that neither a file in the working
 * directory nor a variable or function of an earlier command says what they load.
 */
import type { ExecOptions } from "../src/protocol/environment.ts";

export const OWN_COMMAND: Readonly<Required<Pick<ExecOptions, "cwd" | "taskId">>> = {
  cwd: "/",
  taskId: "hermes",
};
