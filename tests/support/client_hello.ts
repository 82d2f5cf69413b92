/** First bytes of TLS connections for tests, made by hand so that they can be wrong on purpose. */

function sized(bytes: readonly number[], size: number): number[] {
  const length: number[] = [];
  for (let i = size - 1; i >= 0; i--) length.push(bytes.length >> (8 * i) & 255);
  return [...length, ...bytes];
}

function textBytes(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

/** The extension that names `names`, usually one. */
export function serverNameExtension(...names: string[]): number[] {
  const list = names.flatMap((name) => [0, ...sized(textBytes(name), 2)]);
  return [0, 0, ...sized(sized(list, 2), 2)];
}

/** The handshake message with these extensions; none at all when `undefined`. */
export function helloMessage(extensions: readonly number[] | undefined): number[] {
  const random = Array.from({ length: 32 }, (_, i) => i);
  const hello = [
    3,
    3,
    ...random,
    ...sized([1, 2, 3], 1),
    ...sized([0x13, 1], 2),
    ...sized([0], 1),
    ...extensions === undefined ? [] : sized(extensions, 2),
  ];
  return [1, ...sized(hello, 3)];
}

/** A message in records of at most `recordBytes`. */
export function inRecords(message: readonly number[], recordBytes = 16_384): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < message.length; at += recordBytes) {
    bytes.push(22, 3, 1, ...sized(message.slice(at, at + recordBytes), 2));
  }
  return new Uint8Array(bytes);
}

/** The first bytes of a client that asks for `serverName`, after another extension. */
export function helloFor(serverName?: string): Uint8Array {
  const other = [0, 43, 0, 3, 2, 3, 4];
  const named = serverName === undefined ? [] : serverNameExtension(serverName);
  return inRecords(helloMessage([...other, ...named]));
}
