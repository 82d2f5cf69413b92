/*
 * Attempts that need system calls: `escape NAME ARGUMENTS…`. Prints GAINED and exits 0 when the
 * kernel let it happen, prints REFUSED with the error and exits 1 otherwise. `victim` and
 * `terminal` run outside the walls and write down what was done to them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/rtnetlink.h>
#include <linux/vm_sockets.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static char **args;

static int gained(long ok) {
  if (ok) {
    printf("GAINED\n");
    return 0;
  }
  printf("REFUSED %s\n", strerror(errno));
  return 1;
}

static long number(int index) { return strtol(args[index], 0, 0); }

/* ---- what is attacked ---- */

static volatile int untouched = 4711;
static char memory_secret[128];
static const char *victim_directory;

static void note(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", victim_directory, name);
  int fd = open(path, O_CREAT | O_WRONLY, 0644);
  if (fd >= 0) close(fd);
}

static void on_signal(int signal_number) {
  char name[32] = "signal-00";
  name[7] = '0' + signal_number / 10;
  name[8] = '0' + signal_number % 10;
  note(name);
}

/* victim DIRECTORY SECRET-FILE DIRECTORY-TO-STAND-IN MEMORY-SECRET FILE-HELD-OPEN */
static int victim(void) {
  victim_directory = args[0];
  int fd = open(args[1], O_RDWR);
  if (fd < 0 || chdir(args[2]) != 0) return 2;
  dup2(fd, 9);
  dup2(open(args[4], O_RDWR), 8);
  snprintf(memory_secret, sizeof memory_secret, "%s", args[3]);
  for (int s = 1; s < 32; s++) {
    if (s != SIGTERM && s != SIGKILL && s != SIGSTOP && s != SIGCONT) signal(s, on_signal);
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/ready", victim_directory);
  FILE *file = fopen(path, "w");
  fprintf(file, "%d %p %p\n", getpid(), (void *)memory_secret, (void *)&untouched);
  fclose(file);
  while (untouched == 4711) usleep(20000);
  note("changed");
  for (;;) pause();
}

/* terminal DIRECTORY: a terminal of the person, with nothing typed into it */
static int terminal(void) {
  victim_directory = args[0];
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  grantpt(master);
  unlockpt(master);
  char *name = ptsname(master);
  chmod(name, 0666);
  int slave = open(name, O_RDWR | O_NOCTTY);
  char path[4096];
  snprintf(path, sizeof path, "%s/ready", victim_directory);
  FILE *file = fopen(path, "w");
  fprintf(file, "%d %s\n", getpid(), name);
  fclose(file);
  fcntl(master, F_SETFL, O_NONBLOCK);
  for (;;) {
    char text[4096];
    ssize_t n = read(master, text, sizeof text - 1);
    /* What is typed is echoed, so both ways show here. */
    if (n > 0) {
      text[n] = 0;
      if (strstr(text, "typed")) note("typed");
      if (strstr(text, "shown")) note("shown");
    }
    usleep(20000);
  }
  return slave;
}

/* ---- other processes ---- */

static int print_text(const char *text, ssize_t n) {
  if (n <= 0) return gained(0);
  printf("%.*s\n", (int)n, text);
  return gained(1);
}

static int memory_file(int writes) {
  char path[64], text[128];
  snprintf(path, sizeof path, "/proc/%ld/mem", number(0));
  int fd = open(path, writes ? O_RDWR : O_RDONLY);
  if (fd < 0) return gained(0);
  int value = 1;
  if (writes) return gained(pwrite(fd, &value, sizeof value, (off_t)number(1)) == sizeof value);
  return print_text(text, pread(fd, text, sizeof text - 1, (off_t)number(1)));
}

static int process_vm(int writes) {
  char text[128];
  int value = 1;
  struct iovec own = {writes ? (void *)&value : text, writes ? sizeof value : sizeof text - 1};
  struct iovec other = {(void *)number(1), own.iov_len};
  if (writes) return gained(process_vm_writev((pid_t)number(0), &own, 1, &other, 1, 0) > 0);
  return print_text(text, process_vm_readv((pid_t)number(0), &own, 1, &other, 1, 0));
}

static int trace(int request) {
  pid_t pid = (pid_t)number(0);
  if (ptrace(request, pid, 0, 0) != 0) return gained(0);
  if (request == PTRACE_SEIZE) ptrace(PTRACE_INTERRUPT, pid, 0, 0);
  waitpid(pid, 0, __WALL);
  errno = 0;
  int ok = number(1) == 0;
  if (!ok) ok = ptrace(PTRACE_PEEKDATA, pid, (void *)number(1), 0) != 0 && errno == 0;
  ptrace(PTRACE_DETACH, pid, 0, 0);
  return gained(ok);
}

static int queue_signal(void) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return gained(syscall(SYS_rt_sigqueueinfo, (pid_t)number(0), (int)number(1), &info) == 0);
}

static int pidfd(int gets) {
  int fd = (int)syscall(SYS_pidfd_open, (pid_t)number(0), 0);
  if (fd < 0) return gained(0);
  if (!gets) return gained(syscall(SYS_pidfd_send_signal, fd, (int)number(1), 0, 0) == 0);
  int got = (int)syscall(SYS_pidfd_getfd, fd, (int)number(1), 0);
  char text[256];
  return got < 0 ? gained(0) : print_text(text, pread(got, text, sizeof text, 0));
}

/* The kernel sends the signal when something can be read. */
static int owner_signal(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return gained(0);
  if (fcntl(pair[0], F_SETOWN, (pid_t)number(0)) != 0) return gained(0);
  fcntl(pair[0], F_SETSIG, (int)number(1));
  fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  return gained(write(pair[1], "x", 1) == 1);
}

static int change_limits(void) {
  struct rlimit limit;
  pid_t pid = (pid_t)number(0);
  if (prlimit(pid, RLIMIT_NOFILE, 0, &limit) != 0) return gained(0);
  limit.rlim_cur = 17;
  return gained(prlimit(pid, RLIMIT_NOFILE, &limit, 0) == 0);
}

static int change_affinity(void) {
  cpu_set_t set;
  if (sched_getaffinity((pid_t)number(0), sizeof set, &set) != 0) return gained(0);
  return gained(sched_setaffinity((pid_t)number(0), sizeof set, &set) == 0);
}

/* ---- sockets ---- */

static int unix_connect(int abstract) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  size_t length = strlen(args[0]);
  memcpy(name.sun_path + abstract, args[0], length);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
  if (fd < 0 || connect(fd, (struct sockaddr *)&name, size) != 0) return gained(0);
  return gained(write(fd, args[1], strlen(args[1])) > 0);
}

static socklen_t internet(struct sockaddr_storage *at, const char *host, int port) {
  memset(at, 0, sizeof *at);
  if (strchr(host, ':')) {
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)at;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    inet_pton(AF_INET6, host, &six->sin6_addr);
    return sizeof *six;
  }
  struct sockaddr_in *four = (struct sockaddr_in *)at;
  four->sin_family = AF_INET;
  four->sin_port = htons((uint16_t)port);
  inet_pton(AF_INET, host, &four->sin_addr);
  return sizeof *four;
}

enum way { BY_CONNECT, BY_SENDTO, BY_SENDMSG, BY_SENDMMSG, BY_FASTOPEN };

/* HOST PORT TEXT */
static int send_text(int type, int protocol, enum way way) {
  struct sockaddr_storage at;
  socklen_t size = internet(&at, args[0], (int)number(1));
  size_t length = strlen(args[2]);
  int fd = socket(at.ss_family, type, protocol);
  if (fd < 0) return gained(0);
  struct iovec part = {args[2], length};
  struct mmsghdr message = {
      .msg_hdr = {.msg_name = &at, .msg_namelen = size, .msg_iov = &part, .msg_iovlen = 1}};
  if (way == BY_SENDTO) return gained(sendto(fd, args[2], length, 0, (void *)&at, size) > 0);
  if (way == BY_SENDMSG) return gained(sendmsg(fd, &message.msg_hdr, 0) > 0);
  if (way == BY_SENDMMSG) return gained(sendmmsg(fd, &message, 1, 0) == 1);
  if (way == BY_FASTOPEN) {
    return gained(sendto(fd, args[2], length, MSG_FASTOPEN, (void *)&at, size) > 0);
  }
  if (connect(fd, (struct sockaddr *)&at, size) != 0) return gained(0);
  return gained(write(fd, args[2], length) > 0);
}

/* HOST: binds and listens on a port of the kernel's choice, then connects to itself */
static int serve(void) {
  struct sockaddr_storage at;
  socklen_t size = internet(&at, args[0], 0);
  int fd = socket(at.ss_family, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) != 0 || listen(fd, 1) != 0) return gained(0);
  size = sizeof at;
  getsockname(fd, (struct sockaddr *)&at, &size);
  int other = socket(at.ss_family, SOCK_STREAM, 0);
  return gained(connect(other, (struct sockaddr *)&at, size) == 0);
}

static int netlink(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  struct {
    struct nlmsghdr head;
    struct ifinfomsg body;
  } ask = {.head = {.nlmsg_len = sizeof ask,
                    .nlmsg_type = RTM_GETLINK,
                    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
  char answer[8192];
  if (fd < 0 || send(fd, &ask, sizeof ask, 0) < 0) return gained(0);
  return gained(recv(fd, answer, sizeof answer, 0) > 0);
}

/* ---- the kernel's other doors ---- */

static int perf(void) {
  struct perf_event_attr wanted = {.size = sizeof wanted, .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
  return gained(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0) >= 0);
}

static int bpf_map(void) {
  union bpf_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.map_type = BPF_MAP_TYPE_ARRAY;
  wanted.key_size = wanted.value_size = 4;
  wanted.max_entries = 1;
  return gained(syscall(SYS_bpf, BPF_MAP_CREATE, &wanted, sizeof wanted) >= 0);
}

static int io_uring(void) {
  char parameters[256] = {0};
  return gained(syscall(SYS_io_uring_setup, 4, parameters) >= 0);
}

static int clone3_with(uint64_t flags) {
  struct {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } wanted = {.flags = flags, .exit_signal = SIGCHLD};
  long pid = syscall(SYS_clone3, &wanted, sizeof wanted);
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid((pid_t)pid, 0, 0);
  return gained(pid > 0);
}

/* PID KIND */
static int enter_namespace(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/ns/%s", args[0], args[1]);
  int fd = open(path, O_RDONLY);
  return gained(fd >= 0 && setns(fd, 0) == 0);
}

static int by_handle(void) {
  struct {
    struct file_handle head;
    unsigned char bytes[MAX_HANDLE_SZ];
  } handle = {.head = {.handle_bytes = MAX_HANDLE_SZ}};
  int id;
  if (name_to_handle_at(AT_FDCWD, args[0], &handle.head, &id, 0) != 0) return gained(0);
  int root = open(args[1], O_RDONLY | O_DIRECTORY);
  int fd = open_by_handle_at(root, &handle.head, O_RDONLY);
  char text[256];
  return fd < 0 ? gained(0) : print_text(text, read(fd, text, sizeof text));
}

/* A descriptor that only names the file, opened again through /proc. */
static int reopen(int flags) {
  int fd = open(args[0], O_PATH);
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = open(path, flags);
  if (again < 0) return gained(0);
  if (flags == O_RDONLY) return print_text(text, read(again, text, sizeof text));
  return gained(write(again, "taken", 5) == 5);
}

/* FROM TO: a file without a name gets one outside */
static int link_unnamed(void) {
  int fd = open(args[0], O_TMPFILE | O_RDWR, 0644);
  char path[64];
  if (fd < 0 || write(fd, "taken", 5) != 5) return gained(0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return gained(linkat(AT_FDCWD, path, AT_FDCWD, args[1], AT_SYMLINK_FOLLOW) == 0);
}

static int mount_new_way(void) {
  long fd = syscall(SYS_fsopen, "tmpfs", 0);
  return gained(fd >= 0);
}

static int clone_tree(void) {
  return gained(syscall(SYS_open_tree, AT_FDCWD, args[0], 1 /* clone */) >= 0);
}

static int change_root(void) {
  if (chroot(args[0]) != 0) return gained(0);
  return gained(chdir("/") == 0);
}

/* TERMINAL: as if the person had typed a line there */
static int type_into(void) {
  int fd = open(args[0], O_RDWR | O_NOCTTY);
  if (fd < 0) return gained(0);
  for (const char *c = "typed\n"; *c; c++) {
    if (ioctl(fd, 0x5412 /* TIOCSTI */, c) != 0) return gained(0);
  }
  return gained(1);
}

static int add_key(void) {
  long id = syscall(SYS_add_key, "user", args[0], "secret", 6, (int)number(1));
  return gained(id >= 0);
}

static int become_root(void) {
  if (geteuid() != 0) {
    errno = EPERM;
    return gained(0);
  }
  return gained(getuid() != 0);
}

static int raise_user(void) { return gained(setuid(0) == 0 && getuid() == 0); }

/* BYTES */
static int take_memory(void) {
  void *at = mmap(0, (size_t)number(0), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return gained(at != MAP_FAILED);
}

static int set_host_name(void) {
  char name[256];
  gethostname(name, sizeof name);
  return gained(sethostname(name, strlen(name)) == 0);
}

static int holds_descriptors(void) {
  for (int fd = 3; fd < 256; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) return gained(1);
  }
  errno = EBADF;
  return gained(0);
}

static int is(const char *name, const char *other) { return strcmp(name, other) == 0; }

static int files(const char *name) {
  if (is(name, "truncate")) return gained(truncate(args[0], 0) == 0);
  if (is(name, "setxattr")) return gained(setxattr(args[0], "user.walls", "1", 1, 0) == 0);
  if (is(name, "chown")) return gained(chown(args[0], (uid_t)number(1), (gid_t)number(1)) == 0);
  if (is(name, "handle")) return by_handle();
  if (is(name, "reopen-read")) return reopen(O_RDONLY);
  if (is(name, "reopen-write")) return reopen(O_RDWR);
  if (is(name, "link-unnamed")) return link_unnamed();
  if (is(name, "mknod-disk")) return gained(mknod(args[0], S_IFBLK | 0600, makedev(254, 0)) == 0);
  if (is(name, "mknod-memory")) return gained(mknod(args[0], S_IFCHR | 0600, makedev(1, 1)) == 0);
  if (is(name, "chroot")) return change_root();
  if (is(name, "mount-tmpfs")) return gained(mount("walls", args[0], "tmpfs", 0, "") == 0);
  if (is(name, "mount-bind")) return gained(mount(args[0], args[1], 0, MS_BIND, "") == 0);
  if (is(name, "umount")) return gained(umount2(args[0], MNT_DETACH) == 0);
  if (is(name, "fsopen")) return mount_new_way();
  if (is(name, "open-tree")) return clone_tree();
  if (is(name, "pivot-root")) return gained(syscall(SYS_pivot_root, args[0], args[0]) == 0);
  return 3;
}

static int processes(const char *name) {
  if (is(name, "kill")) return gained(kill((pid_t)number(0), (int)number(1)) == 0);
  if (is(name, "kill-all")) return gained(kill(-1, (int)number(0)) == 0);
  if (is(name, "tgkill")) {
    return gained(syscall(SYS_tgkill, number(0), number(0), (int)number(1)) == 0);
  }
  if (is(name, "sigqueue")) return queue_signal();
  if (is(name, "pidfd-signal")) return pidfd(0);
  if (is(name, "pidfd-getfd")) return pidfd(1);
  if (is(name, "owner-signal")) return owner_signal();
  if (is(name, "priority")) return gained(setpriority(PRIO_PROCESS, (id_t)number(0), 7) == 0);
  if (is(name, "limits")) return change_limits();
  if (is(name, "affinity")) return change_affinity();
  if (is(name, "memory-read")) return memory_file(0);
  if (is(name, "memory-write")) return memory_file(1);
  if (is(name, "vm-read")) return process_vm(0);
  if (is(name, "vm-write")) return process_vm(1);
  if (is(name, "attach")) return trace(PTRACE_ATTACH);
  if (is(name, "seize")) return trace(PTRACE_SEIZE);
  if (is(name, "kcmp")) return gained(syscall(SYS_kcmp, getpid(), number(0), 1, 0, 0) >= 0);
  if (is(name, "setns")) return enter_namespace();
  if (is(name, "suid-root")) return become_root();
  if (is(name, "setuid")) return raise_user();
  if (is(name, "take-memory")) return take_memory();
  if (is(name, "descriptors")) return holds_descriptors();
  return 3;
}

static int sockets(const char *name) {
  if (is(name, "unix")) return unix_connect(0);
  if (is(name, "abstract")) return unix_connect(1);
  if (is(name, "tcp")) return send_text(SOCK_STREAM, 0, BY_CONNECT);
  if (is(name, "tcp-fastopen")) return send_text(SOCK_STREAM, 0, BY_FASTOPEN);
  if (is(name, "mptcp")) return send_text(SOCK_STREAM, 262, BY_CONNECT);
  if (is(name, "udp")) return send_text(SOCK_DGRAM, 0, BY_CONNECT);
  if (is(name, "udp-sendto")) return send_text(SOCK_DGRAM, 0, BY_SENDTO);
  if (is(name, "udp-sendmsg")) return send_text(SOCK_DGRAM, 0, BY_SENDMSG);
  if (is(name, "udp-sendmmsg")) return send_text(SOCK_DGRAM, 0, BY_SENDMMSG);
  if (is(name, "udp-lite")) return gained(socket(AF_INET, SOCK_DGRAM, 136) >= 0);
  if (is(name, "raw")) return gained(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0);
  if (is(name, "ping")) return gained(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP) >= 0);
  if (is(name, "packet")) return gained(socket(AF_PACKET, SOCK_RAW, htons(3)) >= 0);
  if (is(name, "vsock")) return gained(socket(AF_VSOCK, SOCK_STREAM, 0) >= 0);
  if (is(name, "listen")) return serve();
  if (is(name, "netlink")) return netlink();
  return 3;
}

static int kernel(const char *name) {
  if (is(name, "io-uring")) return io_uring();
  if (is(name, "userfaultfd")) return gained(syscall(SYS_userfaultfd, 1 /* user mode */) >= 0);
  if (is(name, "bpf")) return bpf_map();
  if (is(name, "perf")) return perf();
  if (is(name, "add-key")) return add_key();
  if (is(name, "keyctl")) return gained(syscall(SYS_keyctl, 0, -4, 1) >= 0);
  if (is(name, "join-keyring")) return gained(syscall(SYS_keyctl, 1, "walls") >= 0);
  if (is(name, "unshare")) return gained(unshare((int)number(0)) == 0);
  if (is(name, "clone3")) return clone3_with((uint64_t)number(0));
  if (is(name, "module")) {
    long code = syscall(SYS_init_module, "", 0, "");
    /* Without the right the kernel does not even look at the image. */
    return gained(code != 0 && errno != EPERM && errno != ENOSYS && errno != EACCES);
  }
  if (is(name, "personality")) {
    return gained(personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC) >= 0);
  }
  if (is(name, "host-name")) return set_host_name();
  if (is(name, "ports")) return gained(ioperm(0x80, 1, 1) == 0);
  if (is(name, "kernel-log")) return gained(syscall(SYS_syslog, 10, 0, 0) >= 0 &&
                                            syscall(SYS_syslog, 3, (char[64]){0}, 64) >= 0);
  if (is(name, "type-into")) return type_into();
  return 3;
}

int main(int count, char **words) {
  if (count < 2) return 3;
  args = words + 2;
  const char *name = words[1];
  if (is(name, "victim")) return victim();
  if (is(name, "terminal")) return terminal();
  int (*tables[])(const char *) = {files, processes, sockets, kernel};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    int code = tables[i](name);
    if (code != 3) return code;
  }
  printf("no such attempt: %s\n", name);
  return 3;
}
