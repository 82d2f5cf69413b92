import { deepEqual, equal, throws } from "node:assert/strict";
import { UsageError } from "../../protocol/error.ts";
import { type HostPort, parseAuthority, parseHostList, ruleFor, ruleText } from "./host_list.ts";

function target(text: string): HostPort {
  const parsed = parseAuthority(text, 443);
  if (typeof parsed === "string") throw new Error(`${text} ${parsed}`);
  return parsed;
}

function isAllowed(list: string, text: string): boolean {
  return ruleFor(parseHostList(list), target(text)) !== undefined;
}

Deno.test("parseHostList() writes every rule in one spelling", () => {
  const spellings: [string, string][] = [
    ["example.com", "example.com"],
    ["EXAMPLE.Com.", "example.com"],
    [" example.com:8443 ", "example.com:8443"],
    ["*.Example.com:*", "*.example.com:*"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["例え.jp", "xn--r8jz45g.jp"],
    ["203.0.113.7", "203.0.113.7"],
    ["2001:DB8:0::1", "[2001:db8::1]"],
    ["[2001:db8::1]:8443", "[2001:db8::1]:8443"],
    ["[::ffff:203.0.113.7]", "203.0.113.7"],
    ["localhost:*", "localhost:*"],
    ["my_host.example", "my_host.example"],
  ];
  for (const [text, wanted] of spellings) equal(parseHostList(text)[0]!.text, wanted, text);
});

Deno.test("parseHostList() reads several, without empty parts and repetitions", () => {
  const rules = parseHostList("a.example, b.example:22,,A.example.,*.c.example");
  deepEqual(rules.map((rule) => rule.text), ["a.example", "b.example:22", "*.c.example"]);
});

Deno.test("parseHostList() says what is wrong with which part", () => {
  const wrong: [string, RegExp][] = [
    ["", /names no host/],
    [" , ", /names no host/],
    ["a.example,on", /"on" stands alone/],
    ["loopback", /"loopback" stands alone/],
    ["https://a.example/x", /write its host alone/],
    ["a.example/x", /is not a host name/],
    ["*", /write --network on/],
    ["*.com", /wider than one domain/],
    ["*.203.0.113.7", /a \* before an address/],
    ["a.*.example", /is not a host name/],
    ["*example.com", /is not a host name/],
    ["*.*.example.com", /is not a host name/],
    ["me@a.example", /has a user name/],
    ["a.example:0", /port/],
    ["a.example:65536", /port/],
    ["a.example:", /port/],
    ["a.example:80x", /port/],
    ["a..example", /is not a host name/],
    [".example", /is not a host name/],
    ["a b.example", /is not a host name/],
    ["a\u0000.example", /is not a host name/],
    ["127.1", /is not how 127\.0\.0\.1 is written/],
    ["0x7f.1", /is not how 127\.0\.0\.1 is written/],
    ["2130706433", /is not how 127\.0\.0\.1 is written/],
    ["0177.0.0.1", /is not how 127\.0\.0\.1 is written/],
    ["1.2.3.4.5", /is not a host name/],
    ["256.1.1.1", /is not a host name/],
    ["fe80::1%eth0", /zone/],
    ["[fe80::1%25eth0]", /zone/],
    ["[::1", /brackets/],
    ["[a.example]", /brackets/],
    ["[::1]x", /behind its bracket/],
    ["::1::2", /is not an IPv6 address/],
    [`${"a".repeat(64)}.example`, /is not a host name/],
    ["a.".repeat(130) + "example", /is not a host name/],
    ["ex%61mple.com", /escape/],
    [Array.from({ length: 1001 }, (_, i) => `h${i}.example`).join(","), /more than 1000/],
  ];
  for (const [list, message] of wrong) {
    throws(() => parseHostList(list), (error) => {
      return error instanceof UsageError && message.test(error.message);
    }, `${list.slice(0, 50)} should fail with ${message}`);
  }
});

Deno.test("ruleFor() holds for a name exactly, at the ports of the web", () => {
  equal(isAllowed("example.com", "example.com"), true);
  equal(isAllowed("example.com", "EXAMPLE.COM.:80"), true);
  equal(isAllowed("example.com", "example.com:8443"), false);
  equal(isAllowed("example.com:8443", "example.com:8443"), true);
  equal(isAllowed("example.com:8443", "example.com:443"), false);
  equal(isAllowed("example.com:*", "example.com:22"), true);
  for (
    const other of [
      "evil-example.com",
      "example.com.evil.com",
      "www.example.com",
      "example.co",
      "xample.com",
      "examplecom",
    ]
  ) equal(isAllowed("example.com", other), false, other);
});

Deno.test("ruleFor() holds for names below a wildcard and not for the bare name", () => {
  equal(isAllowed("*.example.com", "a.example.com"), true);
  equal(isAllowed("*.example.com", "a.b.example.com"), true);
  for (
    const other of ["example.com", "evil-example.com", "a.example.com.evil.com", "aexample.com"]
  ) {
    equal(isAllowed("*.example.com", other), false, other);
  }
});

Deno.test("ruleFor() compares addresses by value and never with names", () => {
  equal(isAllowed("2001:db8::1", "[2001:0db8:0:0::0001]:443"), true);
  equal(isAllowed("203.0.113.7", "[::ffff:203.0.113.7]:443"), true);
  equal(isAllowed("203.0.113.7", "203.0.113.70"), false);
  equal(isAllowed("*.0.113.example", "203.0.113.7"), false);
});

Deno.test("parseAuthority() refuses what could be read in two ways", () => {
  for (
    const text of [
      "",
      ":443",
      "allowed.test@evil.test:443",
      "allowed.test:443@evil.test",
      "user:pw@allowed.test:443",
      "allowed.test:443:443",
      "::1:443",
      "[::1%25lo]:443",
      "[::1%lo]:443",
      "127.1:443",
      "0x7f000001:443",
      "017700000001:443",
      "127.0.0.1.:443",
      "allowed.test\t:443",
      "allowed.test:-1",
      "allowed.test:+443",
      "allowed.test:00000443",
      "allowed.test:",
      "allowed.test/x:443",
      "allowed%2etest:443",
    ]
  ) equal(typeof parseAuthority(text), "string", text);
  equal(typeof parseAuthority("allowed.test"), "string");
});

Deno.test("ruleText() is the rule that would allow a target", () => {
  for (
    const [text, wanted] of [
      ["evil.test:443", "evil.test"],
      ["evil.test:22", "evil.test:22"],
      ["[2001:db8::1]:8080", "[2001:db8::1]:8080"],
    ] as const
  ) {
    equal(ruleText(target(text)), wanted);
    equal(isAllowed(ruleText(target(text)), text), true);
  }
});
