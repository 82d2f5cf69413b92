/** What the first bytes of an image say about it: its type, and how many pixels it claims to have. */

const MAGIC: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** The media type by the file's first bytes. */
export function imageType(bytes: Uint8Array): string | undefined {
  return MAGIC.find(({ at, bytes: magic }) => magic.every((byte, i) => bytes[at + i] === byte))
    ?.type;
}

/** The longer side in pixels; undefined where the bytes do not say it plainly. */
export function longerSide(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = imageType(bytes);
  if (type === "image/png" && bytes.length >= 24) {
    return Math.max(view.getUint32(16), view.getUint32(20));
  }
  if (type === "image/gif" && bytes.length >= 10) {
    return Math.max(view.getUint16(6, true), view.getUint16(8, true));
  }
  return type === "image/jpeg" ? longerSideOfJpeg(view) : undefined;
}

/** Walks from segment to segment to the one that holds the size. */
function longerSideOfJpeg(view: DataView): number | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // The start of a frame; the three numbers left out are tables.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return Math.max(view.getUint16(at + 5), view.getUint16(at + 7));
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
