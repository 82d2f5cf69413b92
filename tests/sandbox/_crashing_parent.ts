/** A parent that is killed while its script is busy. Arguments: language, directory for sockets. */
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { request, SANDBOX } from "./_sandbox.ts";

const [language, tempDir] = Deno.args;
const sandbox = new SandboxRunner({ ...SANDBOX, tempDir });
const code = language === "python"
  ? `from hermes_tools import read_file\nread_file("x")\nwhile True: pass`
  : `import { read_file } from "hermes_tools";\nawait read_file({ path: "x" });\nfor (;;);`;
await sandbox.run(request(code, {
  language: language === "python" ? "python" : "typescript",
  callTool: () => {
    console.log("looping");
    return Promise.resolve({ content: "{}", isError: false });
  },
}));
