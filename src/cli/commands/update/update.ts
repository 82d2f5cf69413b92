/** `hermes update`: the newest release in the place of this executable, and the way back. */
import { HermesError, UsageError } from "../../../protocol/error.ts";
import { installedFile, platformName, releasesUrl } from "../../../util/runtime.ts";
import { VERSION } from "../../../util/version.ts";
import type { CommandInput } from "../../command.ts";
import { err, out } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { replaceExecutable, rollBack } from "./install.ts";
import { compareVersions, fetchFile, fetchRelease, type Release } from "./release.ts";

/** Package managers keep their own books: how to update where one installed hermes. */
const MANAGED: readonly [inPath: string, command: string][] = [
  ["/Cellar/", "brew upgrade hermes"],
  ["/node_modules/", "npm install --global hermes-agent-cli@latest"],
];

export async function main(input: CommandInput): Promise<number> {
  const { flags } = input;
  if (flags.rollback === true) {
    if (flags.check === true || flags.to !== undefined) {
      throw new UsageError(
        "--rollback goes back to the version of before: without --check and --to",
      );
    }
    const path = await replaceableFile();
    await rollBack(path);
    out(`${path} is the version of before the last update again\n`);
    return 0;
  }
  const path = flags.check === true ? "" : await replaceableFile();
  const base = typeof flags.from === "string" ? flags.from : knownSource();
  const wanted = typeof flags.to === "string" ? flags.to.replace(/^v/, "") : undefined;
  const release = await fetchRelease(base, wanted);
  const isNewer = compareVersions(release.version, VERSION) > 0;
  if (flags.check === true) return tellCheck(release, { isNewer, asJson: flags.json === true });
  if (!isNewer && wanted === undefined) {
    out(`hermes ${VERSION} is the newest version\n`);
    return 0;
  }
  await install(release, path);
  return 0;
}

function tellCheck(
  release: Release,
  options: { isNewer: boolean; asJson: boolean },
): number {
  const facts = { current: VERSION, latest: release.version, update: options.isNewer };
  if (options.asJson) out(`${JSON.stringify(facts)}\n`);
  else if (options.isNewer) {
    out(`hermes ${release.version} is out (this is ${VERSION}): hermes update\n`);
  } else out(`hermes ${VERSION} is the newest version\n`);
  return 0;
}

async function install(release: Release, path: string): Promise<void> {
  const platform = platformName();
  const file = release.files[platform];
  if (file === undefined) {
    throw new HermesError(`hermes ${release.version} is not published for ${platform}`);
  }
  err(`Downloading hermes ${release.version} (${(file.size / 1e6).toFixed(0)} MB)\n`);
  const bytes = await fetchFile(release, file);
  await replaceExecutable(path, { bytes, version: release.version });
  out(
    `${path} is hermes ${release.version} now (was ${VERSION}); back: hermes update --rollback\n`,
  );
}

/** The file to replace, links followed. @throws {UsageError} when it is not for hermes to replace. */
async function replaceableFile(): Promise<string> {
  const installed = installedFile(ownEnvironment());
  if (installed === undefined) {
    throw new UsageError("hermes runs from source here, there is no executable to replace", {
      hint: "Update the source instead: git pull",
    });
  }
  const path = await Deno.realPath(installed);
  const manager = MANAGED.find(([part]) => path.includes(part));
  if (manager === undefined) return path;
  throw new UsageError("hermes was installed by a package manager", {
    hint: `Update it there: ${manager[1]}`,
  });
}

function knownSource(): string {
  // The same variable that the installer takes.
  const url = ownEnvironment().HERMES_RELEASES_URL || releasesUrl();
  if (url !== undefined) return url;
  throw new UsageError("this build does not know where releases are published", {
    hint: "Name the address: hermes update --from https://…/releases, or HERMES_RELEASES_URL",
  });
}
