/** Variables that a shell has without being told: which they are, and what they usually hold. */

/** What the variables that every shell has usually hold. */
export const USUAL: ReadonlyMap<string, string> = new Map(Object.entries({
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  SHELL: "/bin/bash",
  BASH: "/bin/bash",
  OLDPWD: "/",
}));

/** Variables to which the shell gives values by itself. */
export const SET_BY_SHELL =
  /^(?:_|BASH(?!_SOURCE|_VERS)\w*|FUNCNAME|OPTARG|DIRSTACK|MAPFILE|REPLY|READLINE_\w+|COMP_\w+|SHELL|PATH|OLDPWD)$/;

/** Parameters whose value stands in where they were given none. */
export const SPECIAL: ReadonlyMap<string, string> = new Map(Object.entries({
  "?": "0",
  "#": "0",
  "-": "hB",
  "TMPDIR": "/tmp",
}));
