import assert from "node:assert/strict";
import { brokenEnvLines, editEnvFile, parseEnvFile } from "./env_file.ts";

const FILE = `# keys
export A=one
B = "two # not a comment"   # a comment
C='single $A \\n'
D=plain value # comment
E="line one
line two"
not an assignment
F=
G="esc \\"q\\" \\n \\$HOME"
H="unclosed
A=last
`;

Deno.test("parseEnvFile() reads quotes, export, comments and values over lines; expands nothing", () => {
  assert.deepEqual(Object.fromEntries(parseEnvFile(FILE)), {
    A: "last",
    B: "two # not a comment",
    C: "single $A \\n",
    D: "plain value",
    E: "line one\nline two",
    F: "",
    G: 'esc "q" \n $HOME',
    H: '"unclosed',
  });
});

Deno.test("parseEnvFile() reads CRLF files and a byte order mark", () => {
  assert.deepEqual([...parseEnvFile('\ufeffA=1\r\nB="2"\r\n')], [["A", "1"], ["B", "2"]]);
});

Deno.test("editEnvFile() replaces one assignment and leaves the rest alone", () => {
  const edited = editEnvFile("# x\nA=1\nB=2\n", { name: "A", value: "a b" });
  assert.equal(edited, "# x\nA='a b'\nB=2\n");
});

Deno.test("editEnvFile() replaces values over lines and drops later duplicates", () => {
  const edited = editEnvFile(FILE, { name: "E", value: "e" });
  assert.equal(edited, FILE.replace('E="line one\nline two"', "E=e"));
  const deduplicated = editEnvFile(FILE, { name: "A", value: "2" });
  assert.equal(deduplicated, FILE.replace("export A=one", "A=2").replace("A=last\n", ""));
});

Deno.test("editEnvFile() appends, removes and does nothing", () => {
  assert.equal(editEnvFile("A=1", { name: "B", value: "2" }), "A=1\nB=2\n");
  assert.equal(editEnvFile("A=1\nB=2\n", { name: "A", value: undefined }), "B=2\n");
  assert.equal(editEnvFile("A=1\n", { name: "Z", value: undefined }), "A=1\n");
});

Deno.test("editEnvFile() writes any value so that it reads back unchanged", () => {
  for (
    const value of ["", "plain", "a b", "#x", "it's", `"q"`, "a\nb", "\\n", "$HOME", "'\"\\\n"]
  ) {
    const text = editEnvFile("OTHER=1\n", { name: "K", value });
    assert.equal(parseEnvFile(text).get("K"), value, JSON.stringify(value));
    assert.equal(parseEnvFile(text).get("OTHER"), "1");
  }
});

Deno.test("brokenEnvLines() counts lines over comments, blanks and values over lines", () => {
  const text = '\ufeff# c\r\n\r\nA=1\r\nB="x\ny"\n  \nBROKEN\n=bar\nexport C=2\nlast one';
  assert.deepEqual(brokenEnvLines(text), [7, 8, 10]);
  assert.deepEqual(brokenEnvLines(""), []);
});
