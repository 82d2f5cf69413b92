import { equal, ok } from "node:assert/strict";
import { DEFAULTS } from "../config/defaults_data.ts";
import { sleep } from "../util/sleep.ts";
import { projectRedactor } from "./project_secrets.ts";

const SETTINGS = {
  config: DEFAULTS,
  variables: (): [string, string][] => [["OPENAI_API_KEY", "key-of-the-provider"]],
};
const PASSWORD = "tr0ub4dor-and-3-others";

async function inProject(
  files: Record<string, string>,
  body: (directory: string) => void | Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "hermes-test-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${directory}/${name}`, text);
    }
    await body(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** A look at the files counts for a tenth of a second. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}

Deno.test("projectRedactor() masks values of the project's .env files without their names", async () => {
  for (const name of [".env", ".env.local", ".envrc"]) {
    const text = `export DB_PASSWORD="${PASSWORD}"\nPORT=3000\nSTAGE=production\n`;
    await inProject({ [name]: text }, (directory) => {
      const redact = projectRedactor(SETTINGS, directory);
      equal(redact(`3000\n${PASSWORD}\nproduction`, "code"), "3000\n***\nproduction");
      ok(!redact(btoa(`x${PASSWORD}`), "code").includes(btoa(PASSWORD).slice(4, 20)));
      equal(redact("key-of-the-provider", "code"), "***");
    });
  }
});

Deno.test("projectRedactor() keeps words that are no secrets, whatever they are used for", async () => {
  const env = "POSTGRES_PASSWORD=postgres\nJWT_SECRET=changeme\nAPI_URL=https://api.example/v1\n";
  await inProject({ ".env": env, ".env.example": `TOKEN=${PASSWORD}` }, (directory) => {
    const redact = projectRedactor(SETTINGS, directory);
    const text = `start postgres, then changeme at https://api.example/v1 with ${PASSWORD}`;
    equal(redact(text, "code"), text);
  });
});

Deno.test("projectRedactor() notices new files and forgets no secret that it has seen", async () => {
  await inProject({}, async (directory) => {
    let redact = projectRedactor(SETTINGS, directory);
    equal(redact(PASSWORD, "code"), PASSWORD);
    await Deno.writeTextFile(`${directory}/.env`, `TOKEN=${PASSWORD}\n`);
    redact = projectRedactor(SETTINGS, directory);
    equal(redact(PASSWORD, "code"), "***");
    await Deno.remove(`${directory}/.env`);
    equal(redact(PASSWORD, "code"), "***");
  });
});

Deno.test("projectRedactor() notices a file that is made, and changed, in a directory that was quiet", async () => {
  await inProject({}, async (directory) => {
    await Deno.utime(directory, 1_000_000, 1_000_000);
    const redact = projectRedactor(SETTINGS, directory);
    equal(redact(PASSWORD, "code"), PASSWORD);
    await Deno.writeTextFile(`${directory}/.env`, `TOKEN=${PASSWORD}\n`);
    await until(() => redact(PASSWORD, "code") === "***");
    await Deno.utime(directory, 1_000_000, 1_000_000);
    const other = `${PASSWORD}-and-another-one`;
    await Deno.writeTextFile(`${directory}/.env`, `TOKEN=${other}\n`);
    await until(() => redact(other, "code") === "***");
  });
});

Deno.test("projectRedactor() follows a link to the file", async () => {
  await inProject({ shared: `TOKEN=${PASSWORD}\n` }, async (directory) => {
    await Deno.symlink("shared", `${directory}/.env`);
    equal(projectRedactor(SETTINGS, directory)(PASSWORD, "code"), "***");
  });
});

Deno.test("projectRedactor() takes a pipe or a link to a device in a file's place for nothing", async () => {
  await inProject({}, async (directory) => {
    await new Deno.Command("mkfifo", { args: [`${directory}/.env`] }).output();
    await Deno.symlink("/dev/zero", `${directory}/.env.local`);
    equal(projectRedactor(SETTINGS, directory)("text", "code"), "text");
  });
});
