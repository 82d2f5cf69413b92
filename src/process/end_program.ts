/**
 * The program that ends process trees where no hermes runs (on another machine, or after hermes
 * was killed) as `process_tree.ts` does here: by session, process group, descent and marker. POSIX
 * shell with cat, sed, head and tr; without /proc only the process group can be reached.
 */
import { MARKER_VARIABLE } from "./marker.ts";

/**
 * `sh end GRACE MARKER [LEADERS [hup]]`: asks every process whose marker begins with MARKER, and
 * the trees of LEADERS, to end; after GRACE twentieths of a second makes them.
 */
export const END_PROGRAM = `
grace=$1 marker=$2 leaders=\${3-} hup=\${4-}
unset ${MARKER_VARIABLE}
LC_ALL=C; export LC_ALL

pause() { sleep 0.05 2>/dev/null || sleep 1; }

if [ ! -r /proc/self/stat ]; then
  groups=; for pid in $leaders; do groups="$groups -$pid"; done
  [ -n "$groups" ] || exit 0
  kill -TERM $groups 2>/dev/null
  while [ "$grace" -gt 0 ] && kill -0 $groups 2>/dev/null; do grace=$((grace-1)); pause; done
  kill -KILL $groups 2>/dev/null
  exit 0
fi

# found: the tree without zombies. orphans: members whose parent is none.
look() {
  stats=$(cat /proc/[0-9]*/stat 2>/dev/null |
    sed -n 's/^\\([0-9]*\\) (.*) \\(.\\) \\([0-9]*\\) \\([0-9]*\\) \\([0-9]*\\) .*/\\1 \\2 \\3 \\4 \\5/p')
  marked=" " at=
  for word in $(head -c 1000000 /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' |
    sed -n "s|^==> /proc/\\([0-9]*\\)/environ <==\\$|\\1|p; s|^${MARKER_VARIABLE}=$marker.*|marked|p"); do
    case $word in marked) marked="$marked$at ";; *) at=$word;; esac
  done
  found=" " orphans= mine=" $$ " size=-1
  while [ \${#found}.\${#mine} != "$size" ]; do
    size=\${#found}.\${#mine}
    while read -r pid state parent group session; do
      case $mine in *" $pid "*) continue;; *" $parent "*) mine="$mine$pid "; continue;; esac
      case $found in *" $pid "*) continue;; esac
      case $state in Z|X) continue;; esac
      [ "$pid" = 1 ] && continue
      case " $leaders $marked " in
        *" $pid "*|*" $group "*|*" $session "*) found="$found$pid ";;
        *) case $found in *" $parent "*) found="$found$pid ";; esac;;
      esac
    done <<EOF
$stats
EOF
  done
  while read -r pid state parent group session; do
    case $found in *" $pid "*) ;; *) continue;; esac
    case $found in *" $parent "*) ;; *) orphans="$orphans $pid";; esac
  done <<EOF
$stats
EOF
}

tell() { [ $# -lt 2 ] || kill "$@" 2>/dev/null; }

# What a parent that was told starts now is its way of cleaning up; only orphans hear it later.
until_gone() {
  told= empty=0 left=$2
  while :; do
    look
    if [ "$found" = " " ]; then
      empty=$((empty+1))
      [ $empty = 2 ] && return 0
      continue
    fi
    empty=0
    if [ $1 = KILL ]; then tell -KILL $found
    elif [ -z "$told" ]; then tell -TERM $found; told=$found
    else
      for pid in $orphans; do
        case $told in *" $pid "*) ;; *) tell -TERM $pid; told="$told$pid ";; esac
      done
    fi
    left=$((left-1))
    [ $left -lt 0 ] && return 1
    pause
  done
}

if [ -n "$hup" ]; then look; tell -HUP $found; fi
until_gone TERM "$grace" || until_gone KILL 40
`;
