/** The platforms hermes is built for, and the Deno that each build carries. */

import { platformName } from "../src/util/runtime.ts";

/** The one Deno version everything is built with and tested on. */
export const DENO_VERSION = "2.9.5";

export interface Target {
  /** Our name: in file names, `--target`, the release manifest. */
  name: string;
  /** What `deno compile --target` calls it. */
  triple: string;
  /** The npm package with the Deno executable, and that file's SHA-256. */
  denoPackage: string;
  denoSha256: string;
}

export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    triple: "x86_64-unknown-linux-gnu",
    denoPackage: "@deno/linux-x64-glibc",
    denoSha256: "dc480c462c8c3582524f3e75c160613d0a975e1f66b5465995d58bae236da7d3",
  },
  {
    name: "linux-arm64",
    triple: "aarch64-unknown-linux-gnu",
    denoPackage: "@deno/linux-arm64-glibc",
    denoSha256: "e1a70c5eb03b0ebaf761077029ef86b9ba22d50e2b54ca45ce5437457f701b63",
  },
  {
    name: "darwin-x64",
    triple: "x86_64-apple-darwin",
    denoPackage: "@deno/darwin-x64",
    denoSha256: "befc4fee79127584c0f5c9f76ca6bb73c8e6ff523c01acd52e9c5db1968a09cb",
  },
  {
    name: "darwin-arm64",
    triple: "aarch64-apple-darwin",
    denoPackage: "@deno/darwin-arm64",
    denoSha256: "b5bd08edab254d42d7b05aa5b6cb4c9b8d4dede4975aff76951ce2cce18866fa",
  },
  {
    name: "windows-x64",
    triple: "x86_64-pc-windows-msvc",
    denoPackage: "@deno/win32-x64",
    denoSha256: "98f8c2a2d470e4ccb04c935c86ff8050817d877762aec5eaeeb9e409ccb3b9fd",
  },
];

/** The target of this machine. */
export function hostTarget(): Target {
  return findTarget(platformName());
}

/** A target by our name or Deno's. @throws with the names there are. */
export function findTarget(name: string): Target {
  const found = TARGETS.find((target) => target.name === name || target.triple === name);
  if (found !== undefined) return found;
  throw new Error(`no target "${name}": there are ${TARGETS.map(({ name }) => name).join(", ")}`);
}
