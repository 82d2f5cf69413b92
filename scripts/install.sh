#!/bin/sh
# Installs hermes for this user: downloads the executable for this platform, checks its SHA-256
# and puts it into ~/.local/bin. Never asks for root.
#
#   curl -fsSL URL/install.sh | sh
#   sh install.sh [--version X.Y.Z] [--dir DIRECTORY] [--from URL]
#   sh install.sh --uninstall [--purge]
#
# HERMES_INSTALL_DIR, HERMES_RELEASES_URL: the same as --dir and --from.
set -eu

releases=${HERMES_RELEASES_URL:-@RELEASES_URL@}
directory=${HERMES_INSTALL_DIR:-${HOME:?is not set}/.local/bin}
action=install version='' purge=''

fail() {
  echo "install: $*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --version | --dir | --from)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in
        --version) version=${2#v} ;;
        --dir) directory=$2 ;;
        --from) releases=$2 ;;
      esac
      shift
      ;;
    --uninstall) action=uninstall ;;
    --purge) purge=1 ;;
    -h | --help)
      echo 'usage: install.sh [--version X.Y.Z] [--dir DIRECTORY] [--from URL]'
      echo '       install.sh --uninstall [--purge]'
      exit
      ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift
done
case $directory in /*) ;; *) directory=$PWD/$directory ;; esac

uninstall() {
  rm -f "$directory/hermes" "$directory/hermes.old"
  # Unpacked copies: the usual place, and the one for a home that cannot be written.
  rm -rf "${XDG_CACHE_HOME:-$HOME/.cache}/hermes/bin"
  if [ -O "${TMPDIR:-/tmp}/hermes-$(id -u)" ]; then rm -rf "${TMPDIR:-/tmp}/hermes-$(id -u)"; fi
  home=${HERMES_HOME:-$HOME/.hermes}
  if [ -n "$purge" ]; then
    # A variable that was set by mistake must not cost a whole account.
    case $(cd "$HOME" && pwd -P)/ in
      "$(cd "$home" 2> /dev/null && pwd -P | sed 's:/*$::')"/*)
        fail "$home holds more than hermes; nothing in it was removed" ;;
    esac
    rm -rf "$home"
    echo "hermes and everything in $home are removed"
  else
    echo "hermes is removed; sessions and settings stay in $home (--purge removes them)"
  fi
}

platform() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no executable for $(uname -s)" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "there is no executable for $(uname -m)" ;;
  esac
  if [ "$system" = linux ] && ! [ -e /lib64/ld-linux-x86-64.so.2 ] && ! [ -e /lib/ld-linux-aarch64.so.1 ]; then
    fail "hermes needs glibc, which this system does not have (Alpine?)"
  fi
  echo "$system-$machine"
}

download() {
  if command -v curl > /dev/null; then
    # A server may lead elsewhere, but not to where anybody on the way can answer.
    case $1 in https:*) by==https ;; *) by==http,https ;; esac
    curl -fsSL --proto "$by" --retry 3 -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget > /dev/null; then
    wget -q -O "$2" "$1" || fail "cannot download $1"
  else
    fail "curl or wget is needed"
  fi
}

sha256() {
  if command -v sha256sum > /dev/null; then
    sha256sum "$1"
  elif command -v shasum > /dev/null; then
    shasum -a 256 "$1"
  else
    openssl dgst -sha256 -r "$1"
  fi | cut -d ' ' -f 1
}

install() {
  # The program and what it is compared with come from there: encrypted, or from this machine.
  case $releases in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    http://*) fail "the address of the releases must begin with https://" ;;
    *) fail "name the address of the releases: --from URL" ;;
  esac
  file=hermes-$(platform)
  if [ -n "$version" ]; then from=$releases/download/v$version; else from=$releases/latest/download; fi
  mkdir -p "$directory" || fail "cannot write to $directory; choose another with --dir"
  work=$(mktemp -d "$directory/.hermes-install.XXXXXX") ||
    fail "cannot write to $directory; choose another with --dir"
  trap 'rm -rf "$work"' 0
  trap 'exit 130' 1 2 15
  download "$from/SHA256SUMS" "$work/sums"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$work/sums")
  [ -n "$expected" ] || fail "the release has no $file"
  download "$from/$file" "$work/hermes"
  [ "$(sha256 "$work/hermes")" = "$expected" ] ||
    fail "$file is damaged or not what was released; nothing was installed"
  chmod 755 "$work/hermes"
  installed=$("$work/hermes" --version) || fail "$file does not start here; nothing was installed"
  mv "$work/hermes" "$directory/hermes"
  echo "$installed is installed: $directory/hermes"
}

hint() {
  case :$PATH: in *:"$directory":*) return ;; esac
  case ${SHELL-} in
    */fish) line="fish_add_path $directory" file='$HOME/.config/fish/config.fish' ;;
    */zsh) line="export PATH=\"$directory:\$PATH\"" file='$HOME/.zshrc' ;;
    *) line="export PATH=\"$directory:\$PATH\"" file='$HOME/.profile' ;;
  esac
  echo "To use it by name, add this to $file:"
  echo "  $line"
}

if [ "$action" = uninstall ]; then
  uninstall
else
  install
  hint
fi
