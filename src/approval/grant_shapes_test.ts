import assert from "node:assert/strict";
import { commandCase } from "./command_case.ts";
import { shapeOf } from "./grant_shapes.ts";

const PLACE = { cwd: "/p/sub", project: "/p" };

Deno.test("shapeOf() keeps program, subcommand, options and fixed words, and opens the operands", () => {
  const shapes: Record<string, string> = {
    "rm -rf build": "rm -rf *",
    "rm  -r -f a b/c": "rm -r -f *",
    "npm run test": "npm run *",
    "git push origin main": "git push origin *",
    "git push --force origin feature/x": "git push --force origin *",
    "chmod -R 777 dist": "chmod -R 777 *",
    "rm -rf /p/other": "rm -rf *",
    "go test ./...": "go test *",
  };
  for (const [command, shape] of Object.entries(shapes)) {
    assert.equal(shapeOf(command, PLACE), shape, command);
  }
});

Deno.test("shapeOf() has none for what leaves the project, runs text or is not plain", () => {
  for (
    const command of [
      ...["rm -rf", "rm -rf ..", "rm -rf ../..", "rm -rf /", "rm -rf /p", "rm -rf /q"],
      ...["rm -rf ~", "rm -rf $X", "rm -rf 'a b'", "rm -rf a*", "rm -rf {a,b}", "rm -rf a/../b"],
      ...["rm -rf .git", "rm -rf x/.git/refs", "rm -rf .hermes", "rm -rf -- -x", "rm a -rf"],
      ...["rm -rf a; ls", "rm -rf a && ls", "rm -rf a | cat", "rm -rf a > b", "X=1 rm -rf a"],
      ...["rm -rf a\nls", "rm -rf a &", "rm -rf `ls`", "rm -rf $(ls)", "/bin/rm -rf a", "./rm a"],
      ...["sh -c ls", "python3 x.py", "node x.js", "eval ls", "xargs rm", "find . -exec rm"],
      ...["ssh host ls", "docker run x", "sudo rm -rf a", "env rm a", "curl x", "npm install x"],
      ...[
        "git push origin",
        "git push https://h/x main",
        "git push ./evil main",
        "git -C /x push o m",
      ],
      ...["git push origin +main", "git push origin :main", "git push -o x origin main"],
      ...[
        "git push --repo=x origin main",
        "npm run a b",
        "npm run build -- --x",
        "make SHELL=x all",
      ],
      ...["toString x", "constructor x", "__proto__ x", ""],
    ]
  ) assert.equal(shapeOf(command, PLACE), undefined, command);
});

Deno.test("shapeOf() has none for the project itself", () => {
  for (const command of ["rm -rf .", "rm -rf ./", "rm -rf /p", "rm -rf /p/"]) {
    assert.equal(shapeOf(command, { cwd: "/p", project: "/p" }), undefined, command);
  }
  assert.equal(shapeOf("git add .", PLACE), "git add *");
});

Deno.test("shapeOf() looks behind links", () => {
  const links: Record<string, string> = {
    "/p/sub/out": "/etc",
    "/p/sub/in": "/p/x",
    "/p/sub": "/p/sub",
    "/p": "/p",
    "/": "/",
  };
  const disk = { realPath: (path: string) => links[path], readText: () => undefined };
  const shape = (command: string) => shapeOf(command, { cwd: "/p/sub", project: "/p", disk });
  assert.equal(shape("rm -rf out"), undefined);
  assert.equal(shape("rm -rf out/x"), undefined);
  assert.equal(shape("rm -rf in"), "rm -rf *");
  assert.equal(shape("rm -rf nothing/there"), "rm -rf *");
});

Deno.test("commandCase() gives no shape where the project is a whole home, or on another machine", () => {
  const policy = { home: "/home/me", places: { homes: ["/h"], hermesHomes: [], trustedBase: [] } };
  const shape = (cwd: string, environment = "local") =>
    commandCase("rm -rf a", {
      findings: [],
      context: { tool: "terminal", environment, cwd },
      project: cwd,
      policy,
      isAskAll: false,
    }).shape;
  assert.equal(shape("/home/me/app"), "rm -rf *");
  for (const cwd of ["/", "/home/me", "/h"]) assert.equal(shape(cwd), undefined);
  assert.equal(shape("/home/me/app", "ssh"), undefined);
});
