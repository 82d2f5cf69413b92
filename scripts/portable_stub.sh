#!/bin/sh
# Hermes @VERSION@ for @TARGET@: this script, then a gzipped tar of the Deno runtime and the
# program. The first run unpacks it into a cache directory named after its content; later runs
# start it from there and use nothing but shell built-ins until then.
# HERMES_BIN_CACHE names another directory for it.
[ -z "${ZSH_VERSION-}" ] || emulate sh
key=@KEY@
newline='
'

# Sets $root, where it may be unpacked; fails where there is no such place.
choose() {
  case $1 in
    named) root=$HERMES_BIN_CACHE ;;
    user) root=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} root=${root:+$root/hermes/bin} ;;
    temporary) root=${TMPDIR:-/tmp}/hermes-$(id -u) ;;
  esac
  case $root in '') return 1 ;; /*) ;; *) root=$PWD/$root ;; esac
}

# Nobody else may choose the program that runs: not in /tmp, not under sudo with a user's HOME.
# A directory that was named is the responsibility of whoever named it.
trusted() {
  [ -n "${HERMES_BIN_CACHE-}" ] || { [ -O "$1" ] && [ ! -L "$1" ]; }
}

ready() {
  [ -x "$root/$key/deno" ] && [ -s "$root/$key/deno" ] && trusted "$root/$key"
}

start() {
  HERMES_SELF=$0 HERMES_DENO_DIR=${DENO_DIR-} DENO_DIR=$root/$key/cache
  DENO_NO_UPDATE_CHECK=1 DENO_DISABLE_NODE_SHIM=1
  export HERMES_SELF HERMES_DENO_DIR DENO_DIR DENO_NO_UPDATE_CHECK DENO_DISABLE_NODE_SHIM
  exec "$root/$key/deno" @FLAGS@ "$root/$key/app/main.js" "$@"
}

# Unpacks beside the final place and renames: a run that is killed or has no space left leaves
# nothing that looks ready. mv into a directory fails, and does not nest, when the name is taken.
unpack() (
  [ -n "${HERMES_BIN_CACHE-}" ] || umask 077
  mkdir -p "$root" || exit
  trusted "$root" || { echo "it belongs to somebody else"; exit 1; }
  await_other
  trap 'rm -rf "$new" "$root/.hermes-busy"' 0
  trap 'exit 130' 1 2 15
  new=
  ready && exit
  new=$(mktemp -d "$root/.hermes-new.XXXXXX") && mkdir "$new/$key" || exit
  tail -c +@OFFSET@ "$0" | { gzip -dc || : > "$new/broken"; } | tar -xof - -C "$new/$key" || exit
  [ ! -e "$new/broken" ] || exit 1
  "$new/$key/deno" --version > /dev/null && mkdir "$new/$key/cache-children" || exit
  mv "$new/$key" "$root/" 2> /dev/null || ready || exit
  sweep
)

# A courtesy, not a lock: of many first runs one unpacks. A dead holder is not waited for.
await_other() {
  tries=0
  until ln -s "$$" "$root/.hermes-busy" 2> /dev/null; do
    holder=$(readlink "$root/.hermes-busy") && kill -0 "$holder" 2> /dev/null || return
    [ "$tries" -lt 600 ] && ! ready || return
    tries=$((tries + 1))
    sleep 0.1 2> /dev/null || sleep 1
  done
}

# Removes versions that no process runs, and what killed runs left behind.
sweep() {
  if [ -r /proc/self/cmdline ]; then
    running=$(cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\0' ' ')
  else
    running=$(ps -A -o args=)
  fi
  for old in "$root"/*/app/main.js "$root"/.hermes-new.*; do
    old=${old%/app/main.js}
    [ "$old" != "$root/$key" ] && [ "$old" != "$new" ] && [ -d "$old" ] || continue
    case $running in *"$old/deno"*) continue ;; esac
    find "$old" -prune -mmin +5 -exec rm -rf {} + 2> /dev/null
  done
  return 0
}

if [ -n "${HERMES_BIN_CACHE-}" ]; then places=named; else places='user temporary'; fi
for place in $places; do
  if choose "$place" && ready; then start "$@"; fi
done
if [ "$(wc -c < "$0")" -ne @SIZE@ ]; then
  echo "hermes: $0 is incomplete, download it again" >&2
  exit 126
fi
problems=
for place in $places; do
  choose "$place" || continue
  if reason=$(unpack 2>&1) && ready; then start "$@"; fi
  problems="${problems}hermes: cannot unpack into $root: ${reason%%"$newline"*}$newline"
done
if tail -c +@OFFSET@ "$0" | gzip -t 2> /dev/null; then
  advice='set HERMES_BIN_CACHE to a directory with 150 MB free that programs may run from'
else
  problems='' advice="$0 is damaged, download it again"
fi
printf '%shermes: %s\n' "$problems" "$advice" >&2
exit 126
