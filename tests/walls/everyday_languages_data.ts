/**
 * Everyday commands of compilers, interpreters, package managers and databases. Servers listen on
 * ports that the kernel chooses, since the same row runs inside and outside at the same time.
 */
import { CODE_ONLY, type EverydayGroup, rows, WITH_FILES } from "./_everyday_row.ts";

const C: EverydayGroup = {
  name: "C, make and cmake",
  needs: ["gcc"],
  fixture: String.raw`
printf '#include <stdio.h>\nint twice(int);\nint main(void) { printf("%%d\\n", twice(21)); return 0; }\n' > main.c
printf 'int twice(int x) { return 2 * x; }\n' > twice.c
printf 'all: app\napp: main.o twice.o\n\tgcc -o $@ $^\n%%.o: %%.c\n\tgcc -c -o $@ $<\nclean:\n\trm -f *.o app\ntest: app\n\t./app\n.PHONY: all clean test\n' > Makefile
printf '#include <pthread.h>\n#include <stdio.h>\nstatic void *f(void *x) { return x; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); puts("joined"); return 0; }\n' > threads.c
printf 'cmake_minimum_required(VERSION 3.10)\nproject(demo C)\nadd_executable(app main.c twice.c)\nenable_testing()\nadd_test(NAME runs COMMAND app)\n' > CMakeLists.txt
printf 'int main(void) { int *p = 0; return *p; }\n' > crash.c
`,
  rows: rows([
    ["gcc", "gcc -Wall -O1 -o app main.c twice.c && ./app"],
    ["gcc-pipe", "gcc -pipe -o app main.c twice.c && ./app"],
    ["gcc-object", "gcc -c twice.c && nm twice.o | awk '{print $NF}'"],
    ["gcc-preprocess", "gcc -E -P twice.c"],
    ["gcc-error", "echo 'int x = ;' > bad.c; gcc -c bad.c", { exit: 1 }],
    [
      "gcc-shared",
      "gcc -shared -fPIC -o libt.so twice.c && gcc -o app main.c -L. -lt && LD_LIBRARY_PATH=. ./app",
    ],
    ["gcc-threads", "gcc -pthread -o t threads.c && ./t"],
    ["gcc-sanitizer", "gcc -fsanitize=undefined -o app main.c twice.c && ./app"],
    ["ar", "gcc -c twice.c && ar rcs libt.a twice.o && gcc -o app main.c libt.a && ./app", {
      needs: ["ar"],
    }],
    ["strip-size", "gcc -o app main.c twice.c && strip app && ./app", { needs: ["strip"] }],
    ["crash", "gcc -o crash crash.c && ./crash", { exit: 139 }],
    ["make", "make -s && ./app", { needs: ["make"] }],
    ["make-parallel", "make -s -j2 && ./app", { needs: ["make"] }],
    ["make-again", "make -s && make -q", { needs: ["make"] }],
    ["make-test-clean", "make -s test && make -s clean && ls", { needs: ["make"] }],
    ["make-fails", "make -s nothing", { needs: ["make"], exit: 2 }],
    [
      "gdb",
      "gcc -g -o app main.c twice.c && gdb -q -batch -ex run -ex 'info registers rip' ./app > g.txt 2>&1; grep -c '^42' g.txt",
      {
        needs: ["gdb"],
      },
    ],
    [
      "gdb-breakpoint",
      "gcc -g -o app main.c twice.c && gdb -q -batch -ex 'break twice' -ex run -ex 'print x' ./app 2>/dev/null | grep '= 21'",
      {
        needs: ["gdb"],
      },
    ],
    ["strace", "strace -f -o t.txt sh -c 'echo traced' && grep -c execve t.txt", {
      needs: ["strace"],
    }],
    ["cmake", "cmake -B out > log && cmake --build out >> log && out/app", { needs: ["cmake"] }],
    [
      "ctest",
      "cmake -B out > log && cmake --build out >> log && ctest --test-dir out -Q && echo tested",
      {
        needs: ["cmake", "ctest"],
      },
    ],
  ]),
};

const PYTHON: EverydayGroup = {
  name: "Python",
  needs: ["python3"],
  prelude: "export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1",
  fixture: String.raw`
mkdir -p pkg/demo index/demo
printf 'def twice(x):\n    return 2 * x\n' > pkg/demo/__init__.py
printf 'from setuptools import setup\nsetup(name="demo", version="1.0", packages=["demo"], entry_points={"console_scripts": ["demo-cli=demo:main"]})\n' > pkg/setup.py
printf '\ndef main():\n    print("cli", twice(4))\n' >> pkg/demo/__init__.py
printf 'import sys, unittest\nsys.path.insert(0, "pkg")\nfrom demo import twice\nclass T(unittest.TestCase):\n    def test_twice(self):\n        self.assertEqual(twice(2), 4)\n' > test_demo.py
python3 - <<'P'
import base64, hashlib, zipfile
files = {"demo/__init__.py": open("pkg/demo/__init__.py").read(),
  "demo-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
  "demo-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: walls\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  "demo-1.0.dist-info/entry_points.txt": "[console_scripts]\ndemo-cli = demo:main\n"}
record = "".join(f"{n},sha256={base64.urlsafe_b64encode(hashlib.sha256(t.encode()).digest()).rstrip(b'=').decode()},{len(t)}\n" for n, t in files.items())
with zipfile.ZipFile("index/demo/demo-1.0-py3-none-any.whl", "w") as z:
    for name, text in files.items(): z.writestr(name, text)
    z.writestr("demo-1.0.dist-info/RECORD", record + "demo-1.0.dist-info/RECORD,,\n")
P
cat > serve.py <<'P'
import functools, http.server, sys, threading
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
handler.log_message = None
class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *a, **k): super().__init__(*a, directory=sys.argv[1], **k)
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
open("port", "w").write(str(server.server_address[1]))
threading.Timer(15, server.shutdown).start()
server.serve_forever()
P
`,
  rows: rows([
    ["run", "echo 'print(sum(range(10)))' > x.py && python3 x.py"],
    ["error", "python3 -c 'raise SystemExit(3)'", { exit: 3 }],
    ["module", "python3 -m json.tool <<< '{\"a\": [1]}'"],
    ["unittest", "python3 -m unittest -q test_demo && echo passed"],
    ["compileall", "python3 -m compileall -q pkg && ls pkg/demo/__pycache__ | wc -l"],
    ["doctest", "python3 -m doctest pkg/demo/__init__.py"],
    ["timeit", "python3 -m timeit -n 1 -r 1 pass > t && echo timed"],
    [
      "cprofile",
      'python3 -m cProfile -o p.out -c pass 2>/dev/null || python3 -c \'import cProfile; cProfile.run("1", "p.out")\'; ls p.out',
    ],
    [
      "venv",
      "python3 -m venv --without-pip v && v/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'",
    ],
    [
      "venv-activate",
      "python3 -m venv --without-pip v && . v/bin/activate && python -c 'import os; print(os.path.basename(os.environ[\"VIRTUAL_ENV\"]))'",
    ],
    [
      "pip-wheel-file",
      "python3 -m venv --without-pip v && python3 -m pip -q --python v/bin/python install --no-deps index/demo/demo-1.0-py3-none-any.whl && v/bin/demo-cli",
    ],
    [
      "pip-target",
      "python3 -m pip -q install --no-deps --target t index/demo/demo-1.0-py3-none-any.whl && PYTHONPATH=t python3 -c 'import demo; print(demo.twice(3))'",
    ],
    [
      "pip-find-links",
      "python3 -m pip -q install --no-deps --find-links index/demo --target t demo && ls t | sort | head -1",
    ],
    [
      "pip-loopback-index",
      "python3 serve.py index & until [ -s port ]; do sleep 0.02; done; PIP_NO_INDEX= python3 -m pip -q --isolated install --no-deps --target t --index-url http://127.0.0.1:$(cat port)/ demo; c=$?; kill $!; ls t | head -1; exit $c",
    ],
    [
      "pip-editable",
      "python3 -m venv --without-pip --system-site-packages v && cd pkg && ../v/bin/python setup.py -q develop >/dev/null 2>&1 && ../v/bin/python -c 'import demo; print(demo.twice(5))'",
    ],
    ["pip-sdist", "cd pkg && python3 setup.py -q sdist >/dev/null 2>&1 && ls dist"],
    ["pip-list", "python3 -m pip list --format=freeze | grep -ci pip", CODE_ONLY],
    [
      "multiprocessing-pool",
      "python3 -c 'from multiprocessing import Pool\nwith Pool(2) as p: print(p.map(abs, [-1, -2, 3]))'",
    ],
    [
      "multiprocessing-spawn",
      'printf \'import multiprocessing as m\\ndef f(q): q.put(7)\\nif __name__ == "__main__":\\n  c = m.get_context("spawn"); q = c.Queue(); p = c.Process(target=f, args=(q,)); p.start(); print(q.get()); p.join()\\n\' > m.py && python3 m.py',
    ],
    [
      "multiprocessing-manager",
      "python3 -c 'from multiprocessing import Manager\nwith Manager() as m: d = m.dict(a=1); print(dict(d))'",
    ],
    [
      "shared-memory",
      "python3 -c 'from multiprocessing import shared_memory as s\nm = s.SharedMemory(create=True, size=8); m.buf[0] = 5; print(m.buf[0]); m.close(); m.unlink()'",
    ],
    [
      "semaphore",
      "python3 -c 'from multiprocessing import Semaphore\ns = Semaphore(1); print(s.acquire(timeout=1)); s.release()'",
    ],
    [
      "threads",
      "python3 -c 'from concurrent.futures import ThreadPoolExecutor as T\nprint(sum(T(4).map(int, \"1234\")))'",
    ],
    [
      "asyncio-process",
      'python3 -c \'import asyncio\nasync def m():\n  p = await asyncio.create_subprocess_exec("echo", "hi", stdout=-1); print((await p.communicate())[0])\nasyncio.run(m())\'',
    ],
    [
      "asyncio-server",
      'python3 -c \'import asyncio\nasync def m():\n  async def h(r, w): w.write(await r.readline()); w.close()\n  s = await asyncio.start_server(h, "127.0.0.1", 0); r, w = await asyncio.open_connection(*s.sockets[0].getsockname()); w.write(b"echo\\n"); print(await r.readline()); s.close()\nasyncio.run(m())\'',
    ],
    [
      "subprocess-shell",
      "python3 -c 'import subprocess as s; print(s.run(\"echo $((1+1))\", shell=True, capture_output=True, text=True).stdout)'",
    ],
    [
      "pty",
      'python3 -c \'import os, pty\npid, fd = pty.fork()\nif pid == 0: os.execvp("echo", ["echo", "in a pty"])\nprint(os.read(fd, 99)); os.waitpid(pid, 0)\'',
    ],
    [
      "http-server",
      'python3 serve.py . & until [ -s port ]; do sleep 0.02; done; python3 -c \'import urllib.request as u; print(u.build_opener(u.ProxyHandler({})).open("http://127.0.0.1:" + open("port").read() + "/test_demo.py").status)\'; kill $!',
    ],
    [
      "http-ipv6",
      'python3 -c \'import socket as s\na = s.create_server(("::1", 0), family=s.AF_INET6); b = s.create_connection(a.getsockname()[:2]); a.accept()[0].send(b"six"); print(b.recv(9))\'',
    ],
    [
      "udp-loopback",
      'python3 -c \'import socket as s\na = s.socket(s.AF_INET, s.SOCK_DGRAM); a.bind(("127.0.0.1", 0)); b = s.socket(s.AF_INET, s.SOCK_DGRAM); b.sendto(b"u", a.getsockname()); a.settimeout(2); print(a.recv(9))\'',
    ],
    [
      "name-lookup",
      "python3 -c 'import socket; print(socket.getaddrinfo(\"localhost\", 80, socket.AF_INET)[0][4])'",
    ],
    [
      "sqlite",
      'python3 -c \'import sqlite3\nd = sqlite3.connect("x.db"); d.execute("pragma journal_mode=wal"); d.execute("create table t(a)"); d.execute("insert into t values(4)"); d.commit(); print(d.execute("select * from t").fetchall())\'',
    ],
    [
      "tempfile",
      'python3 -c \'import tempfile\nwith tempfile.NamedTemporaryFile() as f: f.write(b"x"); f.flush(); print(len(open(f.name).read()))\nwith tempfile.TemporaryDirectory() as d: open(d + "/y", "w").close(); print("made")\'',
    ],
    ["ctypes", "python3 -c 'import ctypes; print(ctypes.CDLL(None).abs(-3))'"],
    [
      "mmap",
      'python3 -c \'import mmap\nf = open("m", "w+b"); f.truncate(4096); m = mmap.mmap(f.fileno(), 0); m[:2] = b"ok"; m.flush(); print(open("m", "rb").read(2))\'',
    ],
    [
      "file-locks",
      'python3 -c \'import fcntl\nf = open("l", "w"); fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB); fcntl.flock(f, fcntl.LOCK_EX); print("locked")\'',
    ],
    [
      "select-epoll",
      "python3 -c 'import os, select\nr, w = os.pipe(); e = select.epoll(); e.register(r); os.write(w, b\"x\"); print(e.poll(1)[0][1])'",
    ],
    [
      "signals",
      "python3 -c 'import os, signal\nsignal.signal(signal.SIGALRM, lambda *a: print(\"rang\")); signal.setitimer(signal.ITIMER_REAL, 0.05); signal.pause()'",
    ],
    [
      "resource-limits",
      "python3 -c 'import resource as r; r.setrlimit(r.RLIMIT_CORE, (0, 0)); print(r.getrlimit(r.RLIMIT_CORE))'",
    ],
    [
      "zipapp",
      "mkdir z && echo 'print(\"zipped\")' > z/__main__.py && python3 -m zipapp z -o z.pyz && python3 z.pyz",
    ],
    [
      "ssl-context",
      "python3 -c 'import ssl; print(ssl.create_default_context().verify_mode.name)'",
    ],
  ]),
};

const NODE: EverydayGroup = {
  name: "Node and npm",
  needs: ["node", "npm"],
  prelude:
    "export NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_FUND=false NPM_CONFIG_AUDIT=false NO_COLOR=1",
  fixture: String.raw`
mkdir -p dep/bin app
printf '{"name":"dep","version":"1.2.3","main":"index.js","bin":{"dep-cli":"bin/cli.js"}}\n' > dep/package.json
printf 'module.exports = (x) => 2 * x;\n' > dep/index.js
printf '#!/usr/bin/env node\nconsole.log("dep-cli", process.argv.length);\n' > dep/bin/cli.js; chmod +x dep/bin/cli.js
(cd dep && npm pack --silent --pack-destination .. >/dev/null)
printf '{"name":"app","version":"1.0.0","scripts":{"hello":"echo hello from npm","test":"node -e \\"process.exit(0)\\"","postinstall":"echo installed > post.txt"}}\n' > app/package.json
cat > registry.mjs <<'J'
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
const tarball = readFileSync("dep-1.2.3.tgz");
const integrity = "sha512-" + createHash("sha512").update(tarball).digest("base64");
const server = createServer((request, response) => {
  if (request.url.endsWith(".tgz")) return response.end(tarball);
  const { port } = server.address();
  const dist = { tarball: "http://127.0.0.1:" + port + "/dep/-/dep-1.2.3.tgz", integrity };
  const version = { name: "dep", version: "1.2.3", bin: { "dep-cli": "bin/cli.js" }, dist };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ name: "dep", "dist-tags": { latest: "1.2.3" }, versions: { "1.2.3": version } }));
}).listen(0, "127.0.0.1", () => writeFileSync("port", String(server.address().port)));
setTimeout(() => process.exit(), 15000).unref();
J
`,
  rows: rows([
    ["run", "node -e 'console.log([1,2,3].map((x) => x * 2).join())'"],
    [
      "esm",
      'echo \'import { join } from "node:path"; console.log(join("a", "b"));\' > x.mjs && node x.mjs',
    ],
    ["error", "node -e 'process.exit(7)'", { exit: 7 }],
    ["check", "node --check dep/index.js"],
    [
      "test-runner",
      'printf \'require("node:test")("adds", () => require("node:assert").equal(1 + 1, 2));\' > a.test.js && node --test a.test.js | grep \'^# pass\'',
    ],
    ["npm-version", "npm --version", CODE_ONLY],
    [
      "npm-init",
      "mkdir n && cd n && npm init -y --silent > /dev/null && node -p 'require(\"./package.json\").name'",
    ],
    ["npm-pack", "cd dep && npm pack --silent && ls *.tgz"],
    ["npm-run", "cd app && npm run --silent hello"],
    ["npm-test", "cd app && npm test --silent && echo passed"],
    [
      "npm-install-tarball",
      "cd app && npm install --silent ../dep-1.2.3.tgz && node -p 'require(\"dep\")(4)'",
    ],
    ["npm-install-scripts", "cd app && npm install --silent && cat post.txt"],
    [
      "npm-install-directory",
      "cd app && npm install --silent ../dep && ls -l node_modules/dep | head -c 1",
    ],
    [
      "npm-install-registry",
      "node registry.mjs & until [ -s port ]; do sleep 0.02; done; cd app; npm install --silent --registry http://127.0.0.1:$(cat ../port)/ dep; c=$?; kill $!; node -p 'require(\"dep/package.json\").version'; exit $c",
    ],
    [
      "npm-ci",
      "cd app && npm install --silent ../dep-1.2.3.tgz && rm -rf node_modules && npm ci --silent && ls node_modules",
    ],
    [
      "npm-uninstall",
      "cd app && npm install --silent ../dep-1.2.3.tgz && npm uninstall --silent dep && ls -A node_modules | grep -v package-lock | wc -l",
    ],
    [
      "npx-local",
      "cd app && npm install --silent ../dep-1.2.3.tgz && npx --no-install dep-cli a b",
    ],
    ["npm-ls", "cd app && npm install --silent ../dep-1.2.3.tgz && npm ls --parseable | wc -l"],
    ["npm-config", "npm config get registry"],
    [
      "npm-prefix-global",
      'npm install --silent -g --prefix "$PWD/g" ./dep-1.2.3.tgz && g/bin/dep-cli',
    ],
    [
      "worker-threads",
      'node -e \'const { Worker } = require("worker_threads"); new Worker("require(\\"worker_threads\\").parentPort.postMessage(5)", { eval: true }).on("message", (m) => console.log(m));\'',
    ],
    [
      "fork",
      'echo \'process.send(process.argv[2]); process.disconnect();\' > c.js && node -e \'require("child_process").fork("./c.js", ["sent"]).on("message", console.log)\'',
    ],
    [
      "exec",
      'node -e \'console.log(require("child_process").execSync("echo $((2 + 3))").toString())\'',
    ],
    [
      "cluster",
      'printf \'const c = require("cluster");\\nif (c.isPrimary) c.fork().on("message", (m) => { console.log(m); c.disconnect(); });\\nelse process.send("up");\\n\' > cl.js && node cl.js',
    ],
    [
      "http",
      'node -e \'const s = require("http").createServer((q, r) => r.end("served")).listen(0, "127.0.0.1", async () => { console.log(await (await fetch("http://127.0.0.1:" + s.address().port)).text()); s.close(); s.closeAllConnections(); })\'',
    ],
    [
      "unix-socket",
      'node -e \'const n = require("net"); const s = n.createServer((c) => c.end("hi")).listen("./s.sock", () => n.connect("./s.sock").on("data", (d) => { console.log(String(d)); s.close(); }))\'',
    ],
    [
      "fs-watch",
      'node -e \'const fs = require("fs"); fs.writeFileSync("w", "1"); const w = fs.watch("w", () => { console.log("seen"); w.close(); process.exit(); }); fs.writeFileSync("w", "2");\'',
    ],
    [
      "mkdtemp",
      'node -e \'const fs = require("fs"), os = require("os"); const d = fs.mkdtempSync(os.tmpdir() + "/w-"); fs.writeFileSync(d + "/x", "1"); console.log(fs.readdirSync(d)); fs.rmSync(d, { recursive: true })\'',
    ],
    [
      "streams-zlib",
      'node -e \'const z = require("zlib"); console.log(String(z.gunzipSync(z.gzipSync("packed"))))\'',
    ],
    [
      "heap",
      "node --max-old-space-size=200 -e 'const a = []; for (let i = 0; i < 1e5; i++) a.push({ i }); console.log(a.length)'",
    ],
    [
      "dns-localhost",
      'node -e \'require("dns").lookup("localhost", { family: 4 }, (e, a) => console.log(a))\'',
    ],
  ]),
};

const DENO: EverydayGroup = {
  name: "Deno",
  needs: ["deno"],
  prelude: "export NO_COLOR=1 DENO_NO_UPDATE_CHECK=1",
  fixture: String.raw`
printf 'export function twice(x: number): number {\n  return 2 * x;\n}\n' > mod.ts
printf 'import { twice } from "./mod.ts";\n\nconsole.log(twice(21));\n' > main.ts
printf 'import { twice } from "./mod.ts";\n\nDeno.test("twice", () => {\n  if (twice(2) !== 4) throw new Error("no");\n});\n' > mod_test.ts
printf '{ "tasks": { "go": "deno run main.ts" } }\n' > deno.json
`,
  rows: rows([
    ["run", "deno run -q main.ts"],
    ["run-twice", "deno run -q main.ts && deno run -q main.ts"],
    ["eval", "deno eval 'console.log(1 + 1)'"],
    ["check", "deno check -q main.ts"],
    ["check-error", "echo 'const x: string = 1;' > bad.ts && deno check -q bad.ts", { exit: 1 }],
    ["test", "deno test -q | grep -c 'ok'"],
    ["fmt", "deno fmt -q --check"],
    [
      "fmt-write",
      "printf 'const  x=1\\nconsole.log( x )\\n' > f.ts && deno fmt -q f.ts && cat f.ts",
      WITH_FILES,
    ],
    ["lint", "deno lint -q"],
    ["task", "deno task -q go"],
    ["doc-info", "deno info --json main.ts | grep -c mod.ts", CODE_ONLY],
    [
      "write-read",
      'deno eval \'Deno.writeTextFileSync("o", "x"); console.log(Deno.readTextFileSync("o"))\'',
      WITH_FILES,
    ],
    [
      "serve",
      'deno eval \'const s = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response("ok")); console.log(await (await fetch("http://127.0.0.1:" + s.addr.port)).text()); await s.shutdown()\'',
    ],
    [
      "subprocess",
      'deno eval \'console.log(new TextDecoder().decode((await new Deno.Command("echo", { args: ["child"] }).output()).stdout))\'',
    ],
    [
      "temp",
      "deno eval 'const d = await Deno.makeTempDir(); await Deno.remove(d); console.log(\"made\")'",
    ],
  ]),
};

const GO: EverydayGroup = {
  name: "Go",
  needs: ["go"],
  // The cache of compiled packages is laid beside the rows: filling one takes half a minute.
  prelude: 'export GOCACHE="$WALLS_ROOT/.go-cache" GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off',
  fixture: String.raw`
printf 'module example.org/demo\n\ngo 1.21\n' > go.mod
printf 'package main\n\nimport "fmt"\n\nfunc twice(x int) int { return 2 * x }\n\nfunc main() { fmt.Println(twice(21)) }\n' > main.go
printf 'package main\n\nimport "testing"\n\nfunc TestTwice(t *testing.T) {\n\tif twice(2) != 4 {\n\t\tt.Fatal("no")\n\t}\n}\n' > main_test.go
`,
  rows: rows([
    ["mod-init", "mkdir n && cd n && go mod init example.org/n 2>/dev/null && cat go.mod"],
    ["build", "go build -o app . && ./app"],
    ["build-all", "go build ./... && ls"],
    ["run", "go run ."],
    ["test", "go test -count=1 ./... | cut -f1,2"],
    ["test-verbose", "go test -count=1 -v . | grep -c PASS"],
    ["vet", "go vet ./..."],
    ["fmt", "printf 'package main\\nfunc  x( ){}\\n' > f.go && gofmt -w f.go && cat f.go", {
      needs: ["gofmt"],
    }],
    ["list", "go list ./..."],
    ["mod-tidy", "go mod tidy && cat go.mod"],
    ["env", "go env GOOS GOARCH"],
    [
      "own-cache",
      'unset GOCACHE; d=$(go env GOCACHE) && mkdir -p "$d" && touch "$d/walls" && rm "$d/walls" && echo writable',
    ],
    [
      "own-module-cache",
      'd=$(go env GOMODCACHE) && mkdir -p "$d/walls" && rmdir "$d/walls" && echo writable',
    ],
    ["build-error", "echo 'package main; func y() int {}' > y.go && go build . 2>/dev/null", {
      exit: 1,
    }],
  ]),
};

const RUST: EverydayGroup = {
  name: "Rust",
  needs: ["cargo", "rustc"],
  prelude: "export CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0",
  fixture: String.raw`
mkdir -p src
printf '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n' > Cargo.toml
printf 'fn twice(x: i32) -> i32 { 2 * x }\nfn main() { println!("{}", twice(21)); }\n#[test]\nfn doubles() { assert_eq!(twice(2), 4); }\n' > src/main.rs
`,
  rows: rows([
    ["rustc", "rustc -o app src/main.rs && ./app"],
    ["rustc-test", "rustc --test -o t src/main.rs && ./t -q | grep -c 'test result: ok'"],
    ["cargo-new", "cargo new -q fresh && ls fresh fresh/src"],
    ["cargo-build", "cargo build -q && target/debug/demo"],
    ["cargo-run", "cargo run -q"],
    ["cargo-test", "cargo test -q | grep -c 'test result: ok'"],
    ["cargo-check", "cargo check -q"],
    ["cargo-metadata", "cargo metadata -q --format-version 1 --no-deps | grep -c demo"],
    ["cargo-clean", "cargo build -q && cargo clean -q && ls"],
    ["cargo-error", "echo 'fn broken(' >> src/main.rs; cargo build -q 2>/dev/null", { exit: 101 }],
    [
      "cargo-home",
      'd="$' +
      '{CARGO_HOME:-$HOME/.cargo}"; mkdir -p "$d/registry/walls" && rmdir "$d/registry/walls" && echo writable',
    ],
  ]),
};

const SERVICES: EverydayGroup = {
  name: "databases, Java and programs that need more",
  needs: [],
  fixture: String.raw`
printf 'create table t(a int, b text);\ninsert into t values (1, "x"), (2, "y");\n' > s.sql
printf 'class A {\n  public static void main(String[] a) { System.out.println("java " + a.length); }\n}\n' > A.java
ssh-keygen -q -t ed25519 -N '' -f key 2>/dev/null || true
`,
  rows: rows([
    ["sqlite", "sqlite3 x.db < s.sql && sqlite3 x.db 'select b from t order by a desc'", {
      needs: ["sqlite3"],
    }],
    [
      "sqlite-wal",
      "sqlite3 x.db 'pragma journal_mode=wal; create table q(a); insert into q values(1); select * from q'",
      {
        needs: ["sqlite3"],
      },
    ],
    [
      "sqlite-dump",
      "sqlite3 x.db < s.sql && sqlite3 x.db .dump | sqlite3 y.db && sqlite3 y.db 'select count(*) from t'",
      {
        needs: ["sqlite3"],
      },
    ],
    [
      "sqlite-concurrent",
      "sqlite3 x.db 'create table t(a)'; for i in 1 2 3 4; do sqlite3 -cmd '.timeout 5000' x.db 'insert into t values(1)' & done; wait; sqlite3 x.db 'select count(*) from t'",
      {
        needs: ["sqlite3"],
      },
    ],
    [
      "postgres",
      "initdb -D data -A trust >/dev/null && pg_ctl -D data -w -o \"-c listen_addresses=127.0.0.1 -p $WALLS_PORT -k $PWD\" -l pg.log start >/dev/null && psql -h 127.0.0.1 -p $WALLS_PORT -d postgres -tAc 'select 40 + 2'; c=$?; pg_ctl -D data -m fast stop >/dev/null; exit $c",
      {
        needs: ["initdb", "pg_ctl", "psql", "not-root"],
      },
    ],
    [
      "redis",
      "redis-server --port $WALLS_PORT --save '' --daemonize no > r.log & until redis-cli -p $WALLS_PORT ping 2>/dev/null; do sleep 0.05; done; redis-cli -p $WALLS_PORT set a 1; redis-cli -p $WALLS_PORT shutdown nosave; wait",
      {
        needs: ["redis-server", "redis-cli"],
      },
    ],
    ["javac", "javac A.java && java A x y", { needs: ["javac", "java"] }],
    ["java-source", "java A.java z", { needs: ["java"] }],
    ["jar", "javac A.java && jar cfe a.jar A A.class && java -jar a.jar", {
      needs: ["javac", "jar"],
    }],
    ["ssh-keygen-here", "ssh-keygen -q -t ed25519 -N '' -f k && ls k k.pub", {
      needs: ["ssh-keygen"],
    }],
    ["openssl", "openssl rand -hex 4 | wc -c; openssl dgst -sha256 s.sql", { needs: ["openssl"] }],
    ["curl-file", "curl -s file://$PWD/A.java | head -1", { needs: ["curl"] }],
    ["curl-loopback", "curl -s --noproxy '*' --max-time 5 http://127.0.0.1:9/", {
      needs: ["curl"],
      exit: 7,
    }],
    ["wget-loopback", "wget -q --no-proxy -t 1 -T 5 http://127.0.0.1:9/", {
      needs: ["wget"],
      exit: 4,
    }],
    [
      "tmux-own-directory",
      'mkdir -m 700 -p "$PWD/t" && export TMUX_TMPDIR="$PWD/t" && tmux -L w new-session -d "sleep 20" && tmux -L w ls | wc -l && tmux -L w kill-server',
      {
        needs: ["tmux"],
      },
    ],
    ["tmux", 'unset TMUX_TMPDIR; tmux -L walls-$$ new-session -d "sleep 1"', {
      needs: ["tmux"],
      differs: {
        reason: "the socket would be in /tmp, where nothing may be made",
        code: 1,
        says: /error (?:creating|connecting)|[Pp]ermission denied|no server|couldn't create/,
      },
    }],
    ["write-tmp", "echo x > /tmp/walls-everyday-$$ && rm /tmp/walls-everyday-$$", {
      differs: {
        reason: "/tmp is everybody's; TMPDIR names a private directory",
        code: 1,
        says: /Permission denied|Read-only file system/,
      },
    }],
    ["ssh-key-home", "cat ~/.ssh/id_ed25519", {
      differs: {
        reason: "private keys are not read behind the walls; use an agent outside or ask",
        code: 1,
        says: /Permission denied|No such file/,
      },
    }],
    ["npmrc-home", "cat ~/.npmrc", {
      differs: {
        reason: "registry tokens are not read behind the walls",
        code: 1,
        says: /Permission denied|No such file/,
      },
    }],
    ["global-git-config", "git config --global alias.walls status", {
      needs: ["git"],
      differs: {
        reason: "~/.gitconfig makes git run programs later, outside",
        code: 255,
        says: /could not lock|Permission denied|Read-only file system/,
      },
    }],
  ]),
};

export const LANGUAGE_GROUPS: readonly EverydayGroup[] = [
  C,
  PYTHON,
  NODE,
  DENO,
  GO,
  RUST,
  SERVICES,
];
