/**
 * The trusted Python program that runs before a script: takes the last wall, gives the script
 * its `hermes_tools` module and speaks the socket's protocol. Started as `python3 -I -S -c`.
 */

/**
 * Arguments: the socket's descriptor, the scratch directory, the final seccomp filter in hex, bytes
 * of private memory, bytes of address space.
 */
export const PYTHON_PRELUDE = String.raw`
import os, posix, sys

def _hermes():
    import ctypes, errno, itertools, json, linecache, threading, traceback, types

    sock, scratch, program = int(sys.argv[1]), sys.argv[2], bytes.fromhex(sys.argv[3])
    memory, space = (ctypes.c_ulong * 2)(*[int(sys.argv[4])] * 2), (ctypes.c_ulong * 2)(*[int(sys.argv[5])] * 2)
    sys.argv = ["script.py"]
    os.environ.pop("MALLOC_ARENA_MAX", None)
    os.environ["TMPDIR"] = scratch
    sys.stdout.reconfigure(line_buffering=True)

    # The filter refuses stat() by path, which Landlock cannot see. Opening is decided by
    # Landlock, so asking an open descriptor tells of allowed files only.
    open_, close, fstat = posix.open, posix.close, posix.fstat

    def stat(path, *, dir_fd=None, follow_symlinks=True):
        if isinstance(path, int):
            return fstat(path)
        fd = open_(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=dir_fd)
        try:
            return fstat(fd)
        finally:
            close(fd)

    def lstat(path, *, dir_fd=None):
        return stat(path, dir_fd=dir_fd)

    def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
        try:
            stat(path, dir_fd=dir_fd)
            return True
        except OSError:
            return False

    for module in (posix, os):
        module.stat, module.lstat, module.access = stat, lstat, access
    os.supports_dir_fd |= {stat}
    os.supports_follow_symlinks |= {stat}
    os.supports_fd |= {stat}

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    libc = ctypes.CDLL(None)
    fprog = Program(len(program) // 8, program)
    # RLIMIT_DATA, private memory; RLIMIT_AS, which counts shared memory and stacks too.
    limited = libc.setrlimit(2, memory) == 0 and libc.setrlimit(9, space) == 0
    if not limited or libc.prctl(22, ctypes.c_ulong(2), ctypes.byref(fprog), 0, 0):
        raise RuntimeError("the kernel refused the last wall")
    for name in [n for n in sys.modules if n.split(".")[0] in ("ctypes", "_ctypes")]:
        del sys.modules[name]
    sys.modules["_ctypes"] = sys.modules["ctypes"] = None
    del ctypes, libc, fprog, program, memory, space, Program

    sending, receiving = threading.Lock(), threading.Lock()
    ids, results, pending = itertools.count(1), {}, bytearray()

    def send(frame):
        data = memoryview(json.dumps(frame).encode() + b"\n")
        with sending:
            while data:
                data = data[os.write(sock, data):]

    def receive():
        while True:
            end = pending.find(b"\n")
            if end >= 0:
                frame = json.loads(pending[:end])
                del pending[:end + 1]
                return frame
            data = os.read(sock, 65536)
            if not data:
                raise RuntimeError("Agent process disconnected")
            pending.extend(data)

    def call(name, arguments, full=False):
        number = next(ids)
        frame = {"t": "call", "id": number, "tool": name, "args": arguments}
        send({**frame, "full": True} if full else frame)
        while True:
            with receiving:
                if number not in results:
                    frame = receive()
                    results[frame.get("id")] = frame
                if number not in results:
                    continue
                frame = results.pop(number)
            content = frame.get("content")
            try:
                content = json.loads(content)
            except ValueError:
                pass
            if not full:
                return content
            return {"content": content, "details": frame.get("details"), "isError": frame.get("isError")}

    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    main.__dict__["__builtins__"] = __builtins__

    def report():
        kind, value, trace = sys.exc_info()
        while trace and trace.tb_frame.f_code.co_filename != "script.py":
            trace = trace.tb_next
        traceback.print_exception(kind, value, trace)
        if isinstance(value, PermissionError):
            print("Scripts reach files, network and programs through hermes_tools only.", file=sys.stderr)

    def run(source, stub):
        tools = types.ModuleType("hermes_tools")
        tools.__dict__["_call"] = call
        exec(compile(stub, "hermes_tools.py", "exec"), tools.__dict__)
        sys.modules["hermes_tools"] = tools
        linecache.cache["script.py"] = (len(source), None, source.splitlines(True), "script.py")
        try:
            exec(compile(source, "script.py", "exec"), main.__dict__)
            return 0
        except SystemExit as error:
            code = error.code
            if code is None or isinstance(code, int):
                return (code or 0) & 255
            print(code, file=sys.stderr)
            return 1
        except BaseException:
            report()
            return 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()

    send({"t": "ready"})
    while True:
        with receiving:
            frame = receive()
        if frame["t"] == "ping":
            send({"t": "pong"})
            continue
        code = run(frame["main"], frame["stub"])
        if not frame["session"]:
            sys.exit(code)
        send({"t": "done", "ok": code == 0})

try:
    _hermes()
except (RuntimeError, OSError) as error:
    os.write(2, f"{error}\n".encode())
    os._exit(1)
`;
