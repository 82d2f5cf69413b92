/**
 * How each rule counts when a command runs behind the walls. A rule that is not listed here
 * asks there as well: pushing, publishing, what holds secrets in the work, what throws work away,
 * and what gives others a way to the work (modes, owners, access lists).
 */

/**
 * `bounded`: the harm is outside, where the walls let nothing happen. `written`: the same, unless
 * the person has opened the very place. `service`: a service of this machine would do the harm,
 * reached through a socket. `closed`: the command could do anything that the work allows, and does
 * no harm when it reaches no other machine. `delete`: depends on what is deleted.
 */
export type InsideRule = "bounded" | "written" | "service" | "closed" | "delete";

const BOUNDED: readonly string[] = [
  "stop/restart system service",
  "force kill processes",
  "kill processes by regex (killall -r)",
  "kill every process of a user",
  "kill process via pgrep/pidof expansion",
  "end other processes",
  "change partitions or volumes",
  "replace or remove crontab",
  "change users or groups",
  "lower network or system protection",
  "load or unload kernel code",
  "remove system packages",
  "schedule a job",
  "change services",
  "init script",
  "mount or unmount",
  "become root",
  "become another user",
  "sudo with privilege flag",
  "accounts and log-in",
  "network settings",
  "kernel and boot settings",
  "look into another process",
  "read raw memory",
  "wipe the shell history",
];

const WRITTEN: readonly string[] = [
  "system_file_write",
  "startup_file_write",
  "path_program_write",
  "ssh_config_write",
  "change logs or system data",
  "unpack over a home or the system",
];

const SERVICE: readonly string[] = [
  "docker compose restart/stop/kill/down",
  "docker restart/stop/kill",
  "docker rm -f",
  "container with access to the host",
  "open tmux or screen of others",
];

const CLOSED: readonly string[] = [
  "program under another name",
  "chmod +x followed by immediate execution",
  "pipe decoded content to shell",
  "execute decoded content",
  "shell execution via heredoc",
  "script execution via heredoc",
  "pipe content to interpreter",
  "script execution via -e/-c flag",
  "shell command via -c/-lc flag",
  "evaluate computed text",
  "command name computed at run time",
  "arbitrary program execution via tool flag",
  "hidden commands in a tool",
  "variable that loads code",
  "load code by option",
  "run a downloaded file",
  "disk copy",
];

const DELETE: readonly string[] = ["recursive delete", "delete in root path"];

export const INSIDE_RULES: ReadonlyMap<string, InsideRule> = new Map([
  ...BOUNDED.map((key) => [key, "bounded"] as const),
  ...WRITTEN.map((key) => [key, "written"] as const),
  ...SERVICE.map((key) => [key, "service"] as const),
  ...CLOSED.map((key) => [key, "closed"] as const),
  ...DELETE.map((key) => [key, "delete"] as const),
]);
