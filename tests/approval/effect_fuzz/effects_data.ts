/**
 * What counts as harmless in the effect fuzzer: places a command may write, arguments with which
 * a recorded program only shows something, git settings that name no program. Data only.
 */
import { CANARY_DIR, HOME, WORKSPACE } from "./protocol.ts";

/** Below these a command may create, change and delete; protected files are looked at anyway. */
export const FREE_PLACES: readonly string[] = [
  WORKSPACE,
  "/tmp",
  "/var/tmp",
  "/dev/shm",
  `${HOME}/.cache`,
  CANARY_DIR,
];

const ALWAYS = /^/;
const CONTAINER =
  /^(?:container |compose (?:-\S+ \S+ )*)?(?:stop|kill|restart|down|rm (?:.* )?-\w*f|rmi (?:.* )?-\w*f)\b|^(?:system prune|volume (?:rm|prune)(?:\s|$))|^(?:run|create|exec)\b.* (?:--privileged(?:[\s=]|$)|-v ?\/:)/;

/** State that programs keep for themselves where secrets live too. */
export const PROGRAM_STATE =
  /\/(?:\.gnupg\/(?:pubring\.kbx~?|trustdb\.gpg|\.#.*|.*\.lock)|\.config\/gcloud\/.*)$/;

/** Arguments with which the recorded program does something a person would be asked about. */
export const EFFECTIVE_ARGUMENTS: Readonly<Record<string, RegExp>> = {
  shutdown: ALWAYS,
  reboot: ALWAYS,
  halt: ALWAYS,
  poweroff: ALWAYS,
  init: /^[06]$/,
  telinit: /^[06]$/,
  mkfs: ALWAYS,
  "mkfs.ext4": ALWAYS,
  "mkfs.xfs": ALWAYS,
  mkswap: ALWAYS,
  wipefs: /-a|--all/,
  fdisk: /^(?!.*(?:-l|--list)).*\/dev/,
  sfdisk: /^(?!.*(?:-l|-d|--list|--dump)).*\/dev/,
  sgdisk: /-[Zzod]/,
  parted: /mk|rm/,
  insmod: /./,
  rmmod: /./,
  modprobe: /^(?!.*(?:-n|--show|-c)).*\w/,
  kexec: /./,
  swapoff: /./,
  umount: /./,
  crontab: /^(?!-l$|-u \S+ -l$|-V$).*/,
  // `-l` may carry the letters of other options, which are ignored.
  at: /^(?!-l|-V|-c ).*./,
  batch: ALWAYS,
  "systemd-run": /^(?!--version|--help).*./,
  // Options, then the verb; most verbs do nothing without a unit.
  systemctl:
    /^(?:--?[A-Za-z][\w-]*(?:[= ][^-\s]\S*)?\s+)*(?:-- )?(?:(?:stop|restart|disable|mask|kill|isolate|edit)\s+\S|(?:reboot|poweroff|halt)(?:\s|$))/,
  service: /^[^-\s]\S* (?:stop|restart)$/,
  launchctl: /^(?:stop|unload|remove|bootout|kill)/,
  useradd: /./,
  userdel: /./,
  usermod: /./,
  groupadd: /./,
  adduser: /./,
  passwd: /^(?!-S).*./,
  chpasswd: ALWAYS,
  visudo: /^(?!-c).*/,
  iptables: /-[FXADIPR]\b|--flush/,
  ip6tables: /-[FXADIPR]\b|--flush/,
  nft: /^(?:flush|delete|add)/,
  ufw: /^(?:--force )?(?:disable|reset|allow|delete)/,
  setenforce: /./,
  docker: CONTAINER,
  podman: CONTAINER,
  kubectl: /\bdelete (?!pods? )|\bdrain\b/,
  terraform: /\bdestroy\b(?!=)|-auto-approve/,
  helm: /(?:^|\s)(?:uninstall|delete)(?:\s|$)/,
  aws: /(?:^|\s)(?:s3 (?:rm|rb) \S|[a-z][\w-]* (?:delete|terminate)\b)/,
  gcloud: /(?:^|\s)delete(?:\s|$)/,
  npm: /(?:^|\s)(?:publish|unpublish)(?:\s|$)/,
  hermes:
    /^(?:.* )?(?:config (?:set|edit)|hooks|plugins? (?:install|enable|update|remove)|trust|update|gateway (?:stop|restart))\b/,
  pkill: /(?:^|\s)-(?:9|KILL|u)(?:\s|$)|hermes/,
  killall: /^(?:(?!--\s)\S+\s+)*-(?:9|KILL|r|u)(?:\s|$)|hermes/,
  apt: /(?:^|\s)(?:remove|purge|autoremove)(?:\s|$)/,
  "apt-get": /(?:^|\s)(?:remove|purge|autoremove)(?:\s|$)/,
  dpkg: /-[rP]\b|--remove|--purge/,
  loginctl: /\b(?:kill|terminate|enable-linger)/,
  setcap: /./,
};

/** Values of `core.editor` and `core.pager` that are everyday choices. */
export const EDITORS = /^(?:n?vim?|nano|emacs|code|less|more|cat|delta|true)(?: -[\w-]+)*$/;

/** Values of `credential.helper` that come with git and keep passwords closed. */
export const KEYCHAINS = /^(?:cache(?: --timeout[ =]\d+)?|osxkeychain|manager|wincred|libsecret)$/;

/** Keys of `.git/config` whose value git executes, now or later, or that redirect what it fetches. */
export const EXECUTING_GIT_KEYS: readonly RegExp[] = [
  /^core\.(?:hookspath|pager|editor|sshcommand|fsmonitor|askpass|gitproxy|worktree|attributesfile)$/,
  /^(?:credential|filter|diff|merge|difftool|mergetool|browser|man|trailer)\..*(?:helper|clean|smudge|process|command|textconv|driver|cmd|path|external)$/,
  /^credential\.helper$/,
  /^(?:gpg|gpg\..*)\.?program$/,
  /^(?:sequence\.editor|include\.path|includeif\..*|url\..*|pager\..*|uploadpack\.packobjectshook|http\..*proxy|init\.templatedir|protocol\.ext\.allow|interactive\.difffilter|receive\..*|remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|submodule\..*\.update|tar\..*\.command|sendemail\..*cmd.*|web\.browser|log\.showsignature)$/,
];
