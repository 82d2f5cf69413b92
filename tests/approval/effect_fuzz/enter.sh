#!/bin/sh
# Builds the throw-away root inside fresh namespaces (or inside a privileged set-up container),
# moves into it so that nothing of the machine but a read-only /usr is left, drops every
# capability the driver does not need, and starts the driver as the first process's child.
# usage: enter.sh BOX DENO DRIVER_DIR UID FACTS
set -eu
box=$1 deno=$2 driver=$3 uid=$4 facts=$5

ip link set lo up
# Every address is this machine: whatever a command connects to ends at the driver's listeners.
ip route add local 0.0.0.0/0 dev lo

mkdir -p "$box"
mount -t tmpfs -o mode=755,size=96m,nosuid,nodev box "$box"
cd "$box"
mkdir usr etc proc dev driver deno old
ln -s usr/bin bin
ln -s usr/sbin sbin
for lib in lib lib32 lib64 libx32; do
  if [ -e "/usr/$lib" ]; then ln -s "usr/$lib" "$lib"; fi
done
mount --bind /usr usr
mount -o remount,bind,ro,nosuid,nodev usr
mount -t tmpfs -o mode=755,size=8m,nosuid,nodev local usr/local
mkdir etc/alternatives
mount --bind /etc/alternatives etc/alternatives
mount -o remount,bind,ro,nosuid,nodev etc/alternatives
cp /etc/ld.so.cache etc/ 2>/dev/null || true
: >deno/deno
mount --bind "$deno" deno/deno
mount -o remount,bind,ro,nosuid,nodev deno/deno
mount --bind "$driver" driver
mount -o remount,bind,ro,nosuid,nodev driver
# Read-only: a root process could otherwise write to /proc/sys or /proc/sysrq-trigger.
mount -t proc -o ro,nosuid,nodev,noexec proc proc
mount -t tmpfs -o mode=755,size=16m,nosuid dev dev
for device in null zero full random urandom; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mkdir -m 1777 dev/shm
pivot_root . old
cd /
umount -l /old
rmdir /old

ulimit -c 0
ulimit -p 96 2>/dev/null || ulimit -u 96
ulimit -f 65536
# No exec: this shell stays to collect orphaned processes.
env -i PATH=/usr/bin:/usr/sbin DENO_DIR=/driver-cache DENO_NO_UPDATE_CHECK=1 NO_COLOR=1 \
  setpriv --bounding-set=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+net_bind_service,+setpcap \
  --inh-caps=-all \
  /deno/deno run -A -q --no-remote --no-npm --no-config --no-lock --unstable-net \
  --v8-flags=--max-old-space-size=256 /driver/driver.ts "$uid" "$facts"
