import { equal, notEqual } from "node:assert/strict";
import { evaluate, type Inspection } from "./decide.ts";
import { JudgedBefore } from "./judged_before.ts";
import type { Disk } from "./shell/disk.ts";
import { SeenFiles, SeenVariables } from "./shell/earlier_commands.ts";

/** A disk whose files the test changes. */
class FakeDisk implements Disk {
  readonly texts = new Map<string, string>();
  readonly links = new Map<string, string>();
  realPath(path: string): string | undefined {
    return this.links.get(path) ?? (this.texts.has(path) ? path : undefined);
  }
  readText(path: string): string | undefined {
    return this.texts.get(path);
  }
}

function session() {
  const before = new JudgedBefore<Inspection>();
  const variables = new SeenVariables();
  const files = new SeenFiles();
  const disk = new FakeDisk();
  let inspections = 0;
  return {
    disk,
    variables,
    files,
    inspections: () => inspections,
    /** Judges a command, and keeps what it leaves to later commands. */
    run(command: string, cwd = "/project") {
      const versions = () => ({ variables: variables.version, files: files.version });
      const policy = { cwd, disk, variables: variables.seen, files, home: "/home/me" };
      const counted: typeof before.inspect = (text, place, fresh) =>
        before.inspect(text, place, (asked) => {
          inspections++;
          return fresh(asked);
        });
      const judged = { before: { inspect: counted } as typeof before, versions };
      const evaluation = evaluate(command, { ...policy, judged });
      const fresh = evaluate(command, policy);
      const words = ({ decision, findings }: typeof fresh) =>
        [decision, ...findings.map(({ key }) => key).toSorted()].join();
      equal(words(evaluation), words(fresh), command);
      variables.keep(evaluation.variables);
      for (const written of evaluation.files) files.keep(written);
      return evaluation.decision;
    },
  };
}

Deno.test("a command that nothing changed for is read once", () => {
  const { run, inspections } = session();
  for (let i = 0; i < 3; i++) {
    equal(run("git status"), "allow");
    equal(run("rm -rf /"), "forbidden");
    equal(run("git push --force"), "prompt");
  }
  equal(inspections(), 3);
  run("git status", "/elsewhere");
  equal(inspections(), 4);
});

Deno.test("a script that was changed on the disk is read again", () => {
  const { run, disk } = session();
  disk.texts.set("/project/run.sh", "echo hello");
  equal(run("bash run.sh"), "allow");
  disk.texts.set("/project/run.sh", "git push --force");
  equal(run("bash run.sh"), "prompt");
  disk.texts.set("/project/run.sh", "echo hello");
  equal(run("bash run.sh"), "allow");
});

Deno.test("a link that leads elsewhere than before is followed again", () => {
  const { run, disk } = session();
  disk.texts.set("/project/notes", "");
  const before = run("echo x > notes");
  disk.links.set("/project/notes", "/home/me/.ssh/authorized_keys");
  notEqual(run("echo x > notes"), before);
});

Deno.test("what earlier commands left is never overlooked", () => {
  const { run } = session();
  equal(run("rm $where"), run("rm $where"));
  const before = run("$tool --force");
  run("export tool='git push'");
  notEqual(`${before} ${run("$tool --force")}`, "allow allow");
  equal(run("sh made.sh"), run("sh made.sh"));
  run("echo 'git push --force' > made.sh");
  equal(run("sh made.sh"), "prompt");
});

Deno.test("a command that leaves the same again makes no other be read again", () => {
  const { run, inspections } = session();
  run("export CI=1; echo done > log.txt");
  run("git status");
  run("export CI=1; echo done > log.txt");
  const count = inspections();
  run("git status");
  run("export CI=1; echo done > log.txt");
  equal(inspections(), count);
});

Deno.test("only so many commands are remembered", () => {
  const { run, inspections } = session();
  for (let i = 0; i < 100; i++) run(`echo ${i}`);
  run("echo 99");
  equal(inspections(), 100);
  run("echo 0");
  equal(inspections(), 101);
});
