/** Which files say what package managers and `make` run, and what they run without being asked. */

/** What `make` takes for an unset variable. */
export const MAKE_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ["CC", "cc"],
  ["CXX", "c++"],
  ["LD", "ld"],
  ["AR", "ar"],
  ["RM", "rm -f"],
  ["MAKE", "make"],
  ["SHELL", "/bin/sh"],
  ["HOME", "~"],
]);

/** Where a makefile is looked for. */
export const MAKEFILES: readonly string[] = ["GNUmakefile", "makefile", "Makefile"];

/** Commands of package managers that run a script of the same name. */
export const SCRIPT_COMMANDS: ReadonlyMap<string, string> = new Map([
  ["test", "test"],
  ["t", "test"],
  ["tst", "test"],
  ["start", "start"],
  ["stop", "stop"],
  ["restart", "restart"],
]);

/** Scripts that other commands of a package manager run. */
export const LIFE_CYCLE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    install: ["preinstall", "install", "postinstall", "prepare"],
    i: ["preinstall", "install", "postinstall", "prepare"],
    ci: ["preinstall", "install", "postinstall", "prepare"],
    pack: ["prepack", "prepare", "postpack"],
    publish: ["prepublishOnly", "prepack", "prepare", "postpublish"],
    version: ["preversion", "version", "postversion"],
  }),
);
