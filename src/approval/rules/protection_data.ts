/** Well-known protected files that a pattern such as `~/.s*` or `.en?` may stand for. */

/** Below a home. */
export const HOME_SAMPLES: readonly string[] = (
  ".ssh .ssh/id_rsa .ssh/id_ed25519 .ssh/authorized_keys .ssh/config .gnupg .aws .aws/credentials .azure .kube " +
  ".kube/config .netrc .pgpass .npmrc .pypirc .git-credentials .docker/config.json .config/gh " +
  ".config/gh/hosts.yml .config/gcloud .cargo/credentials.toml .bash_history .zsh_history .bashrc " +
  ".zshrc .profile .bash_profile .zshenv .gitconfig .hermes .hermes/config.yaml .hermes/.env"
).split(" ");

/** Below the hermes home. */
export const HERMES_SAMPLES: readonly string[] = ["auth.json", "seal.key", ".env"];

/** Directories that a pattern such as `/?tc` may stand for. */
export const SYSTEM_DIRECTORIES: readonly string[] = (
  "/etc /boot /usr/bin /usr/sbin /usr/lib /usr/share /usr/local/bin /bin /sbin /lib /var/log /var/lib /var/spool/cron " +
  "/proc/sys /sys /dev /run"
).split(" ");

/** In any directory. */
export const ANYWHERE_SAMPLES: readonly string[] =
  ".env .env.local .env.production .envrc id_rsa id_ed25519".split(" ");

/** Of the machine. */
export const SYSTEM_SAMPLES: readonly string[] = (
  "/etc/shadow /etc/gshadow /etc/sudoers /etc/passwd /etc/hosts /etc/crontab /root/.ssh/id_rsa " +
  "/proc/1/environ /proc/self/environ /run/secrets/x"
).split(" ");

/** Directories that anybody may write in. */
export const TEMPORARY_DIRECTORIES: readonly string[] = ["/tmp", "/var/tmp", "/private/tmp"];
