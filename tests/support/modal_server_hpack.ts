/** Header compression of HTTP/2 (RFC 7541): decoding everything, encoding the plainest way. */

const UTF8 = new TextEncoder();
const DYNAMIC_BYTES = 4_096;
const ENTRY_OVERHEAD = 32;

/** Appendix A. */
const STATIC: readonly (readonly [string, string])[] = (":authority||:method|GET|:method|POST|" +
  ":path|/|:path|/index.html|:scheme|http|:scheme|https|:status|200|:status|204|:status|206|" +
  ":status|304|:status|400|:status|404|:status|500|accept-charset||accept-encoding|gzip, deflate|" +
  "accept-language||accept-ranges||accept||access-control-allow-origin||age||allow||" +
  "authorization||cache-control||content-disposition||content-encoding||content-language||" +
  "content-length||content-location||content-range||content-type||cookie||date||etag||expect||" +
  "expires||from||host||if-match||if-modified-since||if-none-match||if-range||" +
  "if-unmodified-since||last-modified||link||location||max-forwards||proxy-authenticate||" +
  "proxy-authorization||range||referer||refresh||retry-after||server||set-cookie||" +
  "strict-transport-security||transfer-encoding||user-agent||vary||via||www-authenticate|")
  .split("|").reduce<[string, string][]>((pairs, text, i) => {
    if (i % 2 === 0) pairs.push([text, ""]);
    else pairs.at(-1)![1] = text;
    return pairs;
  }, []);

/** Appendix B: the length of each symbol's code in base 36; the codes themselves are canonical. */
const CODE_LENGTHS =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6" +
  "f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn" +
  "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu";

/** `length/code` → symbol. */
const HUFFMAN = buildHuffman();

function buildHuffman(): Map<string, number> {
  const symbols = [...CODE_LENGTHS].map((digit, symbol) => ({
    symbol,
    length: parseInt(digit, 36),
  })).sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  const table = new Map<string, number>();
  let code = 0;
  let before = symbols[0]!.length;
  for (const { symbol, length } of symbols) {
    code *= 2 ** (length - before);
    before = length;
    table.set(`${length}/${code++}`, symbol);
  }
  return table;
}

function huffmanDecode(bytes: Uint8Array): string {
  const out: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + (byte >> bit & 1);
      const symbol = HUFFMAN.get(`${++length}/${code}`);
      if (symbol === undefined) continue;
      out.push(symbol);
      code = 0;
      length = 0;
    }
  }
  return new TextDecoder().decode(Uint8Array.from(out));
}

/** Decodes the header blocks of one connection, which share a table. */
export class HeaderDecoder {
  #dynamic: [string, string][] = [];
  #limit = DYNAMIC_BYTES;

  decode(block: Uint8Array): Record<string, string> {
    const headers: Record<string, string> = {};
    const input = { block, at: 0 };
    while (input.at < block.length) {
      const byte = block[input.at]!;
      if (byte & 0x80) {
        const [name, value] = this.#entry(readInteger(input, 7));
        headers[name] = value;
      } else if ((byte & 0xe0) === 0x20) {
        this.#limit = readInteger(input, 5);
        this.#evict();
      } else {
        const indexed = (byte & 0x40) !== 0;
        const index = readInteger(input, indexed ? 6 : 4);
        const name = index === 0 ? readString(input) : this.#entry(index)[0];
        const value = readString(input);
        headers[name] = value;
        if (!indexed) continue;
        this.#dynamic.unshift([name, value]);
        this.#evict();
      }
    }
    return headers;
  }

  #entry(index: number): readonly [string, string] {
    const entry = STATIC[index - 1] ?? this.#dynamic[index - 1 - STATIC.length];
    if (!entry) throw new Error(`There is no header ${index}`);
    return entry;
  }

  #evict(): void {
    let size = 0;
    const keep = this.#dynamic.findIndex(([name, value]) =>
      (size += name.length + value.length + ENTRY_OVERHEAD) > this.#limit
    );
    if (keep >= 0) this.#dynamic.length = keep;
  }
}

interface Input {
  block: Uint8Array;
  at: number;
}

function readInteger(input: Input, bits: number): number {
  const mask = 2 ** bits - 1;
  let value = input.block[input.at++]! & mask;
  if (value < mask) return value;
  for (let scale = 1;; scale *= 128) {
    const byte = input.block[input.at++]!;
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
}

function readString(input: Input): string {
  const huffman = (input.block[input.at]! & 0x80) !== 0;
  const length = readInteger(input, 7);
  const bytes = input.block.subarray(input.at, input.at += length);
  return huffman ? huffmanDecode(bytes) : new TextDecoder().decode(bytes);
}

/** Literals without index and without compression; values shorter than 16 KB. */
export function encodeHeaders(headers: Readonly<Record<string, string>>): Uint8Array {
  const out: number[] = [];
  for (const [name, value] of Object.entries(headers)) {
    out.push(0);
    for (const text of [name, value]) {
      const bytes = UTF8.encode(text);
      if (bytes.length < 127) out.push(bytes.length);
      else out.push(127, (bytes.length - 127) % 128 | 128, Math.floor((bytes.length - 127) / 128));
      out.push(...bytes);
    }
  }
  return Uint8Array.from(out);
}
