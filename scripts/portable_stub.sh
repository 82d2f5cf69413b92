#!/bin/sh
# Hermes @VERSION@ for @TARGET@: this script, the SHA-256 of every file, then a gzipped tar of the
# Deno runtime and the program. The first run unpacks it into a cache directory named after its
# content; later runs look whether anything there was changed since, and start it from there.
# HERMES_BIN_CACHE names another directory for it.
[ -z "${ZSH_VERSION-}" ] || emulate sh
key=@KEY@
newline='
'

# Sets $root, where it may be unpacked, $dir, and $stamp, which says that it was; fails where there
# is no such place.
choose() {
  case $1 in
    named) root=$HERMES_BIN_CACHE ;;
    user) root=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} root=${root:+$root/hermes/bin} ;;
    temporary) root=${TMPDIR:-/tmp}/hermes-$(id -u) ;;
  esac
  case $root in '') return 1 ;; /*) ;; *) root=$PWD/$root ;; esac
  dir=$root/$key
  home=${HERMES_HOME:-${HOME:+$HOME/.hermes}}
  case $home in '~' | '~/'*) home=$HOME${home#'~'} ;; esac
  case $home in '' | /*) ;; *) home=$PWD/$home ;; esac
  stamp=${home:+$home/.unpacked-$key}
}

# Nobody else may choose the program that runs: not in /tmp, not under sudo with a user's HOME.
# A directory that was named is the responsibility of whoever named it.
trusted() {
  [ -n "${HERMES_BIN_CACHE-}" ] || { [ -O "$1" ] && [ ! -L "$1" ]; }
}

ready() {
  [ -x "$dir/deno" ] && [ -s "$dir/deno" ] && trusted "$dir"
}

# Every file was written long ago by the archive's clock, and no inode changed since the stamp was
# made: a file that was edited, replaced, linked or opened for others does not fit, and neither
# does another directory that was moved here, because nobody can choose when an inode changed.
# Without a stamp the runtime, whose inode was the last to change, stands in for it.
# Who neither owns the directory nor can write to it cannot have changed it.
untouched() {
  [ -O "$dir" ] || [ -w "$dir" ] || return 0
  [ ! -L "$dir" ] && [ -d "$dir/app" ] && [ ! -L "$dir/app" ] || return 1
  inode='' since=$dir/deno by=c
  if [ -f "$stamp" ]; then
    read -r inode < "$stamp"
    case $inode in '' | *[!0-9]*) return 1 ;; esac
    since=$stamp by=m
  elif [ "$place" != named ] && [ -w "$home" ]; then
    return 1
  fi
  for find in 'command -p find' find; do
    if odd=$($find "$dir" -type d -name 'cache*' ! -perm -020 ! -perm -002 -prune -o \
      \( -perm -020 -o -perm -002 ${inode:+-o -name $key ! -inum $inode} \
      -o ! -name "$key" -newerc$by "$since" \
      -o ! -type d \( ! -type f -o -newermt 2020-01-03 \) \) -print 2> /dev/null); then
      [ -z "$odd" ]
      return
    fi
  done
  [ -z "$inode" ] || return 1
  for file in "$dir"/app/*; do
    [ -f "$file" ] && [ ! -L "$file" ] && ! [ "$file" -nt "$dir/deno" ] || return 1
  done
}

# The files hold what the archive holds.
same() {
  if command -v sha256sum > /dev/null; then sum=sha256sum; else sum='shasum -a 256'; fi
  tail -c +@SUMS@ "$0" | head -c @LENGTH@ | (cd "$dir" && $sum -c -) > /dev/null 2>&1
}

# The content is what the archive holds: it was copied, or its times are those of a backup. What
# the runtime compiled of it before is not in the archive, and goes.
intact() {
  [ ! -L "$dir" ] && [ ! -L "$dir/app" ] || return 1
  for file in "$dir"/app/* "$dir/deno"; do [ -f "$file" ] && [ ! -L "$file" ] || return 1; done
  # What was changed must not get the times of what was not.
  same || return 1
  settle "$dir" 2> /dev/null
  draft=$(draft "$dir" 2> /dev/null)
  # The stamp comes before this look: what changes while it is being read does not fit later.
  if same; then
    rm -rf "$dir"/cache* 2> /dev/null
    (umask 022 && mkdir "$dir/cache") 2> /dev/null
    [ -z "$draft" ] || mv -f "$draft" "$stamp" 2> /dev/null
    return 0
  fi
  touch "$dir"/app/* 2> /dev/null
  [ -z "$draft" ] || rm -f "$draft"
  return 1
}

# Makes and names a stamp to be: the inode of the directory, and when it was looked at. It is kept
# in the hermes home, which only hermes changes; a directory that was named makes no home.
draft() (
  umask 077
  [ -n "$home" ] && { [ "$place" = named ] || mkdir -p "$home"; } && [ -w "$home" ] || exit
  inode=$(command -p ls -di "$1") && draft=$(mktemp "$stamp.XXXXXX") || exit
  echo "${inode%% *}" > "$draft" && echo "$draft"
)

fits() {
  ready && { untouched || intact; }
}

# Read-only, with the times that untouched expects; the runtime comes last.
settle() {
  touch -t 202001010000 "$1"/app/* "$1/deno"
  chmod 444 "$1"/app/*
  chmod go-w "$1" "$1/app" "$1/cache"
  chmod 555 "$1/deno"
}

refuse() {
  echo "hermes: $1" >&2
  exit 2
}

# What the runtime itself answers with a panic, a raw error or a text about its own usage.
usable() {
  limit=$(ulimit -n)
  case $limit in
    *[!0-9]* | ???*) ;;
    *) refuse "only $limit files may be open at once; allow more: ulimit -n 1024" ;;
  esac
  [ . -ef "$PWD" ] || command -p env pwd -P > /dev/null 2>&1 ||
    refuse "the working directory does not exist any more: cd into one that does"
  case $* in
    *[!\ -~]*)
      if command -v iconv > /dev/null && ! printf %s "$*" | iconv -f UTF-8 -t UTF-8 > /dev/null 2>&1
      then
        refuse "an argument is not valid UTF-8; give such text in a file: hermes run -f FILE"
      fi
      ;;
  esac
}

start() {
  usable "$@"
  # What is protected as the installed file must be found from any directory.
  case $0 in /*) HERMES_SELF=$0 ;; *) HERMES_SELF=$PWD/$0 ;; esac
  HERMES_DENO_DIR=${DENO_DIR-} DENO_DIR=$dir/cache
  DENO_NO_UPDATE_CHECK=1 DENO_DISABLE_NODE_SHIM=1
  export HERMES_SELF HERMES_DENO_DIR DENO_DIR DENO_NO_UPDATE_CHECK DENO_DISABLE_NODE_SHIM
  exec "$dir/deno" @FLAGS@ "$dir/app/main.js" "$@"
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
  ready && untouched && exit
  new=$(mktemp -d "$root/.hermes-new.XXXXXX") && mkdir "$new/$key" || exit
  tail -c +@OFFSET@ "$0" | { gzip -dc || : > "$new/broken"; } | tar -xof - -C "$new/$key" || exit
  [ ! -e "$new/broken" ] || exit 1
  "$new/$key/deno" --version > /dev/null && mkdir "$new/$key/cache" || exit
  settle "$new/$key" || exit
  if [ -e "$dir" ] || [ -L "$dir" ]; then
    { ready && untouched; } || mv "$dir" "$new/changed" || exit
  fi
  draft=$(draft "$new/$key" 2> /dev/null)
  [ -z "$draft" ] || mv -f "$draft" "$stamp"
  mv "$new/$key" "$root/" 2> /dev/null || ready || exit
  sweep
)

# A courtesy, not a lock: of many first runs one unpacks. A dead holder is not waited for.
await_other() {
  tries=0
  until ln -s "$$" "$root/.hermes-busy" 2> /dev/null; do
    holder=$(readlink "$root/.hermes-busy") && kill -0 "$holder" 2> /dev/null || return
    [ "$tries" -lt 600 ] && ! { ready && untouched; } || return
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
    [ "$old" != "$dir" ] && [ "$old" != "$new" ] && [ -d "$old" ] || continue
    case $running in *"$old/deno"*) continue ;; esac
    find "$old" -prune -mmin +5 -exec rm -rf {} + 2> /dev/null
  done
  for old in "$home"/.unpacked-*; do
    [ -d "$root/${old##*/.unpacked-}" ] || find "$old" -prune -mmin +5 -exec rm -f {} + 2> /dev/null
  done
  return 0
}

if [ -n "${HERMES_BIN_CACHE-}" ]; then places=named; else places='user temporary'; fi
changed=
for place in $places; do
  choose "$place" && ready || continue
  if untouched || intact; then start "$@"; fi
  changed=$dir
done
if [ "$(wc -c < "$0")" -ne @SIZE@ ]; then
  echo "hermes: $0 is incomplete, download it again" >&2
  exit 126
fi
problems=
for place in $places; do
  choose "$place" || continue
  if reason=$(unpack 2>&1) && fits; then
    [ -z "$changed" ] || echo "hermes: $changed was changed; unpacked it again from $0" >&2
    start "$@"
  fi
  problems="${problems}hermes: cannot unpack into $root: ${reason%%"$newline"*}$newline"
done
if tail -c +@OFFSET@ "$0" | gzip -t 2> /dev/null; then
  advice='set HERMES_BIN_CACHE to a directory with 150 MB free that programs may run from'
else
  problems='' advice="$0 is damaged, download it again"
fi
printf '%shermes: %s\n' "$problems" "$advice" >&2
exit 126
