/** Programs that run the program named in their arguments, and how to find it there. */
import type { OptionGrammar } from "./invocation.ts";

export interface Wrapper extends OptionGrammar {
  /** Operands before the command: `timeout 5 CMD` has one. */
  operands?: number;
  /** One more operand may stand before the command; both readings are followed. */
  optional?: true;
  /** `NAME=value` words may come before the command. */
  assignments?: boolean;
  /** Options with which nothing is run: `command -v`. */
  inert?: readonly string[];
  /** Options whose value is shell text: `flock f -c TEXT`. */
  scripts?: readonly string[];
  /** The remaining words are joined and read by a shell: `watch`, `ssh`. */
  joined?: boolean;
  /** The command runs on another machine or in a container. */
  remote?: boolean;
  /** Options that name the directory to run in. */
  chdir?: readonly string[];
}

const CONTAINER_RUN: Wrapper = {
  values: "aehlmpuvwc",
  longValues: (
    "add-host annotation attach build-arg cap-add cap-drop cgroup-parent cidfile cpus cpuset-cpus " +
    "device dns entrypoint env env-file expose gpus group-add hostname ip label link log-driver log-opt " +
    "mac-address memory mount name network network-alias pid platform publish pull restart runtime " +
    "security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit user userns uts " +
    "volume volumes-from workdir index detach-keys container namespace profile"
  ).split(" "),
  operands: 1,
  remote: true,
};

/** By program name, or by `program subcommand`. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: "aCcDghpRrTtUu",
    longValues: (
      "auth-type close-from login-class chdir group host prompt chroot role command-timeout type " +
      "other-user user"
    ).split(" "),
    assignments: true,
    chdir: ["D", "chdir"],
    inert: ["l", "list", "v", "validate", "V", "version", "K", "remove-timestamp", "e", "edit"],
  },
  doas: { values: "aCu", inert: ["L", "C"], assignments: true },
  pkexec: { longValues: ["user"] },
  run0: {
    longValues: ["user", "unit", "chdir", "setenv", "property", "nice"],
    values: "uD",
    chdir: ["D", "chdir"],
  },
  runuser: { values: "ugGsw", scripts: ["c", "command"], longValues: ["user", "group", "shell"] },
  sg: { operands: 1, scripts: ["c"], joined: true },
  env: {
    values: "uCa",
    longValues: ["unset", "chdir", "argv0"],
    assignments: true,
    chdir: ["C", "chdir"],
  },
  "cross-env": { assignments: true },
  nice: { values: "n", longValues: ["adjustment"] },
  ionice: { values: "cnpPu", longValues: ["class", "classdata"] },
  chrt: { values: "TPD", operands: 1 },
  taskset: { operands: 1 },
  cpulimit: { values: "lpeP", longValues: ["limit"] },
  nohup: {},
  setsid: {},
  disown: {},
  timeout: { values: "ks", longValues: ["kill-after", "signal"], operands: 1 },
  gtimeout: { values: "ks", longValues: ["kill-after", "signal"], operands: 1 },
  time: { values: "fo", longValues: ["format", "output"] },
  gtime: { values: "fo", longValues: ["format", "output"] },
  stdbuf: { values: "ioe", longValues: ["input", "output", "error"] },
  unbuffer: {},
  chroot: { operands: 1 },
  unshare: {
    values: "SGRw",
    longValues: ["root", "wd", "setuid", "setgid", "map-user", "map-group"],
    chdir: ["w", "wd"],
  },
  nsenter: { values: "tSG", longValues: ["target", "setuid", "setgid"] },
  setarch: { optional: true },
  linux32: {},
  linux64: {},
  i386: {},
  i586: {},
  i686: {},
  "x86_64": {},
  uname26: {},
  "ssh-agent": { values: "aEPOt" },
  logsave: { operands: 1 },
  setpriv: { longValues: ["reuid", "regid", "groups", "inh-caps", "bounding-set"] },
  prlimit: { values: "p", longValues: ["pid"] },
  strace: { values: "abeEIoOpPsSuUX" },
  ltrace: { values: "aAeElnosuFx" },
  valgrind: {},
  catchsegv: {},
  eatmydata: {},
  numactl: { values: "NCmipH" },
  runcon: { values: "turl", optional: true },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  setuidgid: { operands: 1 },
  "s6-setuidgid": { operands: 1 },
  chpst: { values: "uUbenmdopfcrtP/" },
  tini: { values: "pe" },
  "dumb-init": { values: "r" },
  choom: { values: "np" },
  uclampset: { values: "mMp" },
  "systemd-cat": { values: "tp" },
  chronic: {},
  hyperfine: { values: "wmrMSPpcDuLN", joined: true },
  dtach: { values: "acnNpA" },
  "gnome-terminal": {},
  abduco: { values: "e", operands: 1 },
  daemonize: { values: "aceloEpu" },
  "ip netns": { operands: 2 },
  "perf stat": { values: "eopCx" },
  "perf record": { values: "eopCFcg" },
  "rr record": {},
  "lxc exec": { operands: 1, remote: true },
  "incus exec": { operands: 1, remote: true },
  "distrobox enter": { values: "n", optional: true, remote: true },
  "toolbox run": { values: "cdr", remote: true },
  faketime: { values: "f", operands: 1 },
  fakeroot: { values: "lsib" },
  proot: { values: "rbw", longValues: ["rootfs", "bind", "cwd"] },
  firejail: {},
  bwrap: {},
  "xvfb-run": { values: "nefpsw", longValues: ["server-num", "server-args", "error-file"] },
  "dbus-run-session": {},
  "systemd-run": {
    values: "pEuHM",
    longValues: "unit property setenv description slice uid gid nice working-directory host machine"
      .split(" "),
    chdir: ["working-directory"],
  },
  "systemd-inhibit": {},
  caffeinate: { values: "tw" },
  torsocks: {},
  torify: {},
  proxychains: { values: "f" },
  proxychains4: { values: "f" },
  rlwrap: {},
  entr: {},
  busybox: {},
  toybox: {},
  command: { inert: ["v", "V"] },
  builtin: {},
  exec: { values: "a" },
  nocorrect: {},
  noglob: {},
  flock: {
    values: "wE",
    longValues: ["timeout", "wait", "conflict-exit-code"],
    operands: 1,
    scripts: ["c", "command"],
  },
  script: { values: "EIBOTmo", operands: 1, scripts: ["c", "command"] },
  watch: { values: "nq", longValues: ["interval", "equexit"], joined: true },
  parallel: {
    values: "aCdEIjLlNnPSs",
    longValues: ["jobs", "delay", "timeout", "colsep"],
    joined: true,
  },
  ssh: { values: "BbcDEeFIiJLlmOopQRSWw", operands: 1, joined: true, remote: true },
  npx: { values: "pc", longValues: ["package", "call"], scripts: ["c", "call"] },
  bunx: {},
  "npm exec": { values: "c", longValues: ["call", "package"], scripts: ["c", "call"] },
  "pnpm exec": {},
  "pnpm dlx": {},
  "yarn exec": {},
  "yarn dlx": {},
  "uv run": {
    values: "p",
    longValues: ["with", "python", "extra", "group", "directory", "project"],
  },
  "poetry run": {},
  "pipenv run": {},
  "pdm run": {},
  "rye run": {},
  "hatch run": {},
  "conda run": { values: "np", longValues: ["name", "prefix", "cwd"], chdir: ["cwd"] },
  "bundle exec": {},
  "direnv exec": { operands: 1 },
  "asdf exec": {},
  "mise exec": {},
  "doppler run": {},
  "op run": {},
  "aws-vault exec": { operands: 1 },
  "docker exec": CONTAINER_RUN,
  "docker run": CONTAINER_RUN,
  "podman exec": CONTAINER_RUN,
  "podman run": CONTAINER_RUN,
  "docker-compose exec": CONTAINER_RUN,
  "docker-compose run": CONTAINER_RUN,
  "docker compose exec": CONTAINER_RUN,
  "docker compose run": CONTAINER_RUN,
  "kubectl exec": {
    values: "cnf",
    longValues: ["container", "namespace"],
    operands: 1,
    remote: true,
  },
  "oc exec": { values: "cnf", longValues: ["container", "namespace"], operands: 1, remote: true },
};

/** Options with a separate value that may stand between a program and its subcommand. */
export const GLOBAL_OPTIONS: Readonly<Record<string, OptionGrammar>> = {
  git: {
    values: "Cc",
    longValues: ["git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "config-env"],
  },
  docker: {
    values: "Hcl",
    longValues: ["host", "context", "log-level", "config", "tlscacert", "tlscert", "tlskey"],
  },
  podman: {
    values: "c",
    longValues: ["url", "connection", "identity", "root", "runroot", "log-level"],
  },
  compose: {
    values: "fp",
    longValues: ["file", "project-name", "profile", "env-file", "project-directory", "ansi"],
  },
  kubectl: {
    values: "ns",
    longValues: ["namespace", "context", "kubeconfig", "cluster", "server", "user"],
  },
  hermes: { values: "pm", longValues: ["profile", "model", "provider"] },
  systemctl: {
    values: "HMtpn",
    longValues: ["host", "machine", "type", "property", "root", "job-mode"],
  },
  npm: { longValues: ["prefix"], values: "C" },
  pnpm: { longValues: ["dir", "filter"], values: "CF" },
  redis: { values: "hpasnui" },
};
