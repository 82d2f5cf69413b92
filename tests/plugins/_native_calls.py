"""Makes system calls that cross the borders of a process, and prints those the kernel answered."""

import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
REFUSED = (1, 38)  # EPERM, ENOSYS
COLUMN = 1 if platform.machine() == "aarch64" else 0
SIGCHLD = 17

# Numbers on x86_64 and aarch64. Without arguments: a call that is let through fails in another way.
CALLS = {
    "add_key": (248, 217), "bpf": (321, 280), "chmod": (90, 53), "chown": (92, 54),
    "chroot": (161, 51), "clone3": (435, 435), "fanotify_init": (300, 262), "fchmod": (91, 52),
    "io_uring_setup": (425, 425), "keyctl": (250, 219), "landlock_create_ruleset": (444, 444),
    "link": (86, 37), "memfd_create": (319, 279), "mknod": (133, 33), "mount": (165, 40),
    "mq_open": (240, 180), "msgget": (68, 186), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "perf_event_open": (298, 241), "personality": (135, 92),
    "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "pivot_root": (155, 41),
    "prctl": (157, 167), "process_vm_readv": (310, 270), "ptrace": (101, 117),
    "sched_setaffinity": (203, 122), "seccomp": (317, 277), "semget": (64, 190),
    "setgid": (106, 144), "setns": (308, 268), "setpgid": (109, 154), "setpriority": (141, 140),
    "setsid": (112, 157), "setuid": (105, 146), "setxattr": (188, 5), "shmget": (29, 194),
    "socket": (41, 198), "symlink": (88, 36), "truncate": (76, 45), "umount2": (166, 39),
    "unshare": (272, 97), "userfaultfd": (323, 282), "utimensat": (280, 88),
}
NAMESPACES = {
    "newns": 0x20000, "newcgroup": 0x2000000, "newuts": 0x4000000, "newipc": 0x8000000,
    "newuser": 0x10000000, "newpid": 0x20000000, "newnet": 0x40000000,
}


def call(number, *args):
    ctypes.set_errno(0)
    answer = libc.syscall(*(ctypes.c_long(one) for one in (number, *args)))
    return answer, ctypes.get_errno()


answered = []
for name, numbers in CALLS.items():
    answer, error = call(numbers[COLUMN], 0, 0, 0, 0, 0)
    if answer >= 0 or error not in REFUSED:
        answered.append(name)
for name, flag in NAMESPACES.items():
    answer, error = call((56, 220)[COLUMN], flag | SIGCHLD, 0, 0, 0, 0)
    if answer == 0:
        os._exit(0)
    if answer > 0:
        os.waitpid(answer, 0)
        answered.append(name)
print(len(CALLS) + len(NAMESPACES), answered)
