/** A home with fake secrets, as the tests of the walls give it to commands. */
import { dirname } from "../../src/util/path.ts";
import { HOME_FILES, SECRET_PLACES } from "./_secrets_data.ts";

/** What the secret of one place says: its own text, so that a leak names its source. */
export function secretText(id: string, token: string): string {
  return `fake-secret-${id}-${token}`;
}

/** Fills `home` (which is made) with ordinary files and secrets. */
export async function makeHome(home: string, token: string): Promise<void> {
  await Deno.mkdir(home, { recursive: true });
  for (const [name, text] of Object.entries(HOME_FILES)) {
    await Deno.writeTextFile(`${home}/${name}`, text);
  }
  for (const { id, path } of SECRET_PLACES) {
    await Deno.mkdir(dirname(`${home}/${path}`), { recursive: true });
    // A comment in every one of these formats.
    await Deno.writeTextFile(`${home}/${path}`, `# ${secretText(id, token)}\n`);
  }
}
