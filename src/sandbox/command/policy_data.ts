/**
 * Which places outside the work the walls around commands close or leave open, and why. Credentials
 * and histories are not listed here: they come from `src/util/secret_places_data.ts`.
 */

/** Homes of other users. The person's own home below one of them stays readable. */
export const OTHER_HOMES: readonly string[] = ["/home", "/root", "/Users", "/var/root"];

/** Sockets in there act for the person or for the system: whoever connects has their rights. */
export const SOCKET_PLACES: readonly string[] = [
  "/run",
  "/var/run",
  "/var/lib/docker",
  "/var/lib/containerd",
  "/var/lib/containers",
  "/var/lib/kubelet",
];

/** The same in the temporary directory; never links, which nobody can make there. */
export const TEMPORARY_SOCKET_PLACES: readonly string[] = ["/tmp/.X11-unix", "/tmp/.ICE-unix"];

/** The same below the person's home. */
export const HOME_SOCKET_PLACES: readonly string[] = [
  ".docker/run",
  ".docker/desktop",
  ".colima",
  ".orbstack/run",
  ".rd",
  ".lima",
  ".1password",
  ".bitwarden-ssh-agent.sock",
  ".screen",
];

/** The same in a temporary directory, by their names; lower-case paths. */
export const SOCKET_NAMES =
  /^\/(?:private\/)?(?:var\/)?tmp\/(?:\.(?:x11|ice|font|xim)-unix|\.x\d+-lock|(?:ssh|tmux|dbus|gpg|pulse|kde|keyring|orbit|agent|vscode|com\.apple)[-.][^/]*|screens?|uscreens|emacs\d+|nvim\.[^/]*)(?:\/|$)/;

/** Variables that say where such a socket is; a comma, a `unix:` and options are cut off. */
export const SOCKET_VARIABLES: readonly string[] = [
  "SSH_AUTH_SOCK",
  "GPG_AGENT_INFO",
  "DBUS_SESSION_BUS_ADDRESS",
  "DOCKER_HOST",
  "CONTAINER_HOST",
  "TMUX",
  "VSCODE_IPC_HOOK_CLI",
  "VSCODE_GIT_IPC_HANDLE",
  "NVIM",
  "WAYLAND_DISPLAY",
  "PULSE_SERVER",
];

/** Directories that hold sockets and little else. */
export const SOCKET_DIRECTORY_VARIABLES: readonly string[] = ["XDG_RUNTIME_DIR"];

/** Needed although a closed place holds it. */
export const ALWAYS_READABLE: readonly string[] = [
  // Where `/etc/resolv.conf` leads.
  "/run/systemd/resolve/resolv.conf",
  "/run/systemd/resolve/stub-resolv.conf",
  "/run/NetworkManager/resolv.conf",
  "/run/NetworkManager/no-stub-resolv.conf",
  "/run/resolvconf",
  "/run/connman/resolv.conf",
  "/mnt/wsl/resolv.conf",
  // Programs and libraries of NixOS and of containers for developers.
  "/run/current-system",
  "/run/booted-system",
  "/run/opengl-driver",
  "/run/opengl-driver-32",
  "/run/host/usr",
  "/run/host/etc",
  // Homebrew on Linux.
  "/home/linuxbrew/.linuxbrew",
  // Logged-in users and when the machine came up: `who`, `uptime`.
  "/run/utmp",
];

/** Wider than any work: a session that begins here has no workspace. */
export const TOO_WIDE: readonly string[] = [
  "/",
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/home",
  "/lib",
  "/lib64",
  "/opt",
  "/proc",
  "/root",
  "/run",
  "/sbin",
  "/sys",
  "/tmp",
  "/usr",
  "/var",
  "/var/tmp",
  "/Users",
  "/private/tmp",
];

/** Devices that every program may use. */
export const OPEN_DEVICES: readonly string[] = [
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/random",
  "/dev/urandom",
  "/dev/tty",
  "/dev/ptmx",
];

/** Directories of such devices, and of shared memory. */
export const OPEN_DEVICE_TREES: readonly string[] = ["/dev/pts", "/dev/shm"];

/** File systems of the kernel: read, never executed. */
export const KERNEL_TREES: readonly string[] = ["/proc", "/sys"];

/**
 * Limits of commands. The kernel counts every thread of the user, and a desktop with browsers and
 * editors has several thousand: the limit leaves a parallel build more than ten thousand beside
 * those, and ends a fork bomb long before process ids (32 768 at least) and memory run out.
 */
export const COMMAND_LIMITS = { processes: 16_384 } as const;
