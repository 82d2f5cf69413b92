import { deepEqual, equal, match } from "node:assert/strict";
import { bootScript, RecordScanner, scriptLine, writeRecord } from "./_remote_protocol.ts";

/** Whatever of these the machine has. */
const SHELLS: readonly (readonly [string, ...string[]])[] = [
  ["/bin/sh"],
  ["/bin/bash"],
  ["/bin/dash"],
  ["/bin/busybox", "sh"],
];

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

function text(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}

/** Feeds the whole stream in pieces of `size`; what came through and the records. */
function scan(stream: string, size: number): { data: string; records: string[] } {
  const bytes = new TextEncoder().encode(stream);
  const scanner = new RecordScanner("tok");
  const records: string[] = [];
  let data = "";
  for (let at = 0; at < bytes.length; at += size) {
    for (let rest: Uint8Array | undefined = bytes.subarray(at, at + size); rest?.length;) {
      const scanned = scanner.push(rest);
      data += text(scanned.data);
      if (scanned.record !== undefined) records.push(scanned.record);
      rest = scanned.rest;
    }
  }
  return { data: data + text(scanner.flush()), records };
}

Deno.test("push() finds records in pieces of any size and lets everything else through", () => {
  const stream = "a\x1eb\x1etok\x1e\x1etok state 1 /x y\x1emore\x1e\x1etok exit 0\x1e";
  for (let size = 1; size <= stream.length; size++) {
    deepEqual(scan(stream, size), {
      data: "a\x1eb\x1etok\x1emore\x1e",
      records: ["state 1 /x y", "exit 0"],
    });
  }
});

Deno.test("flush() gives back what only looked like a record", () => {
  equal(scan("end\x1etok exi", 4).data, "end\x1etok exi");
});

Deno.test("scriptLine() brings any script to any shell", async () => {
  const script = `printf '%s' "tab\t back\\\\slash \\n 'q' \$x é
second line"; exit 7`;
  for (const [shell, ...args] of SHELLS) {
    if (!await exists(shell)) continue;
    const boot = bootScript({ token: "tok", shell, dir: "/", tty: false });
    // The inner shell of busybox needs its applet's name; it stands in for /bin/sh there.
    const child = new Deno.Command(shell, {
      args: [...args, "-c", args.length > 0 ? boot.replace(`${shell} -c`, `${shell} sh -c`) : boot],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(scriptLine(script));
    await writer.write(new TextEncoder().encode("go\n"));
    await writer.close();
    const { code, stdout } = await child.output();
    const { data, records } = scan(text(stdout), 1000);
    equal(data, "tab\t back\\slash \\n 'q' $x é\nsecond line".replace("$x", ""), shell);
    equal(code, 7);
    deepEqual(records.slice(1), ["got 1", "exit 7"]);
    match(records[0]!, /^ready \d+ 1$/);
  }
});

Deno.test("bootScript() says when the private directory is gone", async () => {
  const boot = bootScript({ token: "tok", shell: "/bin/sh", dir: "/no/such", tty: false });
  const { stdout } = await new Deno.Command("/bin/sh", { args: ["-c", boot], stdin: "null" })
    .output();
  match(scan(text(stdout), 10).records[0]!, /^ready \d+ 0$/);
});

Deno.test("writeRecord() writes fields to the descriptor of records", () => {
  equal(
    writeRecord("tok", "state", ['"$a"', "1"]),
    `printf '\\036tok state %s %s\\036' "$a" 1 >&8`,
  );
});
