import { equal } from "node:assert/strict";
import { formatIp, parseIp, specialRange } from "./ip_address.ts";

function rangeOf(text: string): string | undefined {
  const bytes = parseIp(text);
  if (bytes === undefined) throw new Error(`not an address: ${text}`);
  return specialRange(bytes);
}

Deno.test("parseIp() reads canonical addresses alone, and mapped ones as IPv4", () => {
  const same: [string, string][] = [
    ["203.0.113.7", "203.0.113.7"],
    ["2001:DB8::1", "2001:db8::1"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["0:0:0:0:0:ffff:a9fe:a9fe", "169.254.169.254"],
    ["::", "::"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
  ];
  for (const [text, wanted] of same) equal(formatIp(parseIp(text)!), wanted);
  for (
    const text of [
      "127.1",
      "0x7f.0.0.1",
      "0177.0.0.1",
      "2130706433",
      "1.2.3.256",
      "1.2.3.4.",
      "",
      "fe80::1%lo",
      "1::2::3",
      "1.2.3.-4",
      " 1.2.3.4",
      ":::",
      "g::1",
    ]
  ) equal(parseIp(text), undefined, text);
});

Deno.test("specialRange() knows every kind of address that is not public", () => {
  const special: [string, RegExp][] = [
    ["127.0.0.1", /loopback/],
    ["127.255.255.254", /loopback/],
    ["0.0.0.0", /this machine/],
    ["10.0.0.1", /private/],
    ["172.16.0.1", /private/],
    ["172.31.255.255", /private/],
    ["192.168.1.1", /private/],
    ["100.64.0.1", /private/],
    ["169.254.1.1", /link-local/],
    ["169.254.169.254", /metadata/],
    ["168.63.129.16", /metadata/],
    ["100.100.100.200", /metadata/],
    ["fd00:ec2::254", /metadata/],
    ["224.0.0.1", /multicast/],
    ["255.255.255.255", /reserved/],
    ["198.18.0.1", /reserved/],
    ["::1", /loopback/],
    ["::", /this machine/],
    ["fe80::1", /link-local/],
    ["febf::1", /link-local/],
    ["fc00::1", /private/],
    ["fdff::1", /private/],
    ["ff02::1", /multicast/],
    ["2001::1", /reserved/],
    ["2001:db8::1", /reserved/],
    ["::127.0.0.1", /reserved/],
    ["64:ff9b::7f00:1", /loopback/],
    ["64:ff9b::a9fe:a9fe", /metadata/],
    ["64:ff9b:1::1", /reserved/],
    ["2002:7f00:1::", /loopback/],
    ["2002:0a00:1::", /private/],
  ];
  for (const [text, wanted] of special) equal(wanted.test(rangeOf(text) ?? ""), true, text);
});

Deno.test("specialRange() leaves public addresses alone, also beside the borders of ranges", () => {
  for (
    const text of [
      "1.1.1.1",
      "9.255.255.255",
      "11.0.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "169.253.255.255",
      "169.255.0.0",
      "223.255.255.255",
      "2606:4700::1111",
      "2a00:1450::1",
      "64:ff9b::101:101",
      "2002:101:101::",
      "2001:200::1",
    ]
  ) equal(rangeOf(text), undefined, text);
});
