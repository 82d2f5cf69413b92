/** Every command of `hermes`, as data. Help, completion and parsing are made from this table. */
import type { CommandSpec } from "./command.ts";

export const COMMANDS: readonly CommandSpec[] = [];
