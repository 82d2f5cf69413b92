import assert from "node:assert/strict";
import { commandRedactMode } from "./redact_command.ts";

Deno.test("commandRedactMode() knows what prints variables", () => {
  const dumps = [
    "printenv",
    "printenv HOME",
    "env",
    "env | sort",
    "cd x && env",
    "/usr/bin/env",
    "FOO=1 env BAR=2",
    "set",
    "export",
    "export -p",
    "declare -x",
    "cat .env",
    "cat ./app/.env.local",
    "grep KEY prod.env",
    "sudo cat '.env'",
    "sort <.env",
  ];
  for (const command of dumps) assert.equal(commandRedactMode(command), "prose", command);
  const others = [
    "ls",
    "env FOO=1 make",
    "set -e; make",
    "export FOO=1",
    "declare -a list",
    "cat .env.example",
    "cat environment.ts",
    "source venv/bin/activate",
    "",
  ];
  for (const command of others) assert.equal(commandRedactMode(command), "code", command);
});
