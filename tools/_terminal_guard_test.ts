import { equal, ok } from "node:assert/strict";
import { foregroundRefusal, isPlainDirectoryName } from "./_terminal_guard.ts";

Deno.test("foregroundRefusal() sends what never ends to the background", () => {
  const refused = [
    "nohup ./server",
    "cd app && nohup ./server > log",
    "setsid sleep 5",
    "make; disown",
    "X=1 nohup x",
    "sleep 5 &",
    "a & b",
    "(a & b)",
    "server > log 2>&1 &",
    "npm run dev",
    "npm start",
    "yarn serve",
    "pnpm dev --port 3",
    "bun run watch",
    "cd web && npm run dev",
    "docker compose up",
    "docker-compose -f x.yml up --build",
    "next dev",
    "npx next dev",
    "vite",
    "npx vite --host",
    "nodemon app.js",
    "uvicorn app:app --reload",
    "gunicorn app",
    "python -m http.server",
    "python3 -m http.server 8000",
  ];
  for (const command of refused) ok(foregroundRefusal(command), command);
});

Deno.test("foregroundRefusal() lets what ends by itself run", () => {
  const allowed = [
    "npm run build",
    "npm test",
    "npm run start:check",
    "vitest",
    "vite build",
    "npx vite build --mode x",
    "uvicorn --help",
    "gunicorn --version",
    "docker compose up -d",
    "docker compose up --detach --build",
    "docker compose ps",
    "cmd 2>&1",
    "cmd &> f",
    "cmd >& f",
    "a && b",
    "a |& b",
    'echo "a & b"',
    "echo 'npm start'",
    "git commit -m 'nohup fix & more'",
    "echo a \\& b",
    "grep -r nohup .",
    "cat <<'EOF' > run.sh\nnohup ./server &\nEOF",
    "cat <<EOF\na & b\nEOF\necho done",
    "# nohup x &\nls",
    "sleep 1 & sleep 2 & wait",
    "a & pid=$!; wait $pid",
    "timeout 5 npm run dev",
    "curl 'http://h/?a=1&b=2'",
    "ls nodemon",
    "pip install uvicorn",
  ];
  for (const command of allowed) equal(foregroundRefusal(command), undefined, command);
});

Deno.test("isPlainDirectoryName() takes names and refuses shell syntax", () => {
  for (const path of ["/a/b", "~/x y", "C:\\x", "日本/ü", "a+b@c=d,e", "../up", "-"]) {
    ok(isPlainDirectoryName(path), path);
  }
  for (const path of ["", "a;b", "$HOME", "a&b", "(x)", "a\nb", "a|b", "`x`", "a'b", "a*"]) {
    ok(!isPlainDirectoryName(path), path);
  }
});
