/** File types that are not text: by name ending and by first bytes. */

const BY_KIND: Readonly<Record<string, string>> = {
  image: "png jpg jpeg jpe gif webp bmp ico icns tif tiff heic heif avif psd xcf raw cr2 nef",
  audio: "mp3 wav flac ogg oga opus m4a aac wma aiff mid",
  video: "mp4 m4v mov avi mkv webm wmv flv mpg mpeg 3gp",
  archive: "zip tar gz tgz bz2 tbz xz txz zst lz lz4 lzma 7z rar jar war ear whl egg apk deb rpm " +
    "dmg iso cab cpio crx xpi",
  document: "pdf doc ppt pptx xls xlsb xlsm odt ods odp rtf epub mobi pages numbers key docx xlsx",
  executable: "exe dll so dylib o a obj lib class pyc pyo wasm bin com msi elf ko node",
  database: "db sqlite sqlite3 mdb accdb frm ibd dbf parquet feather arrow avro orc",
  font: "ttf otf woff woff2 eot",
  data: "pickle pkl npy npz h5 hdf5 pt pth onnx safetensors gguf ckpt tflite pb mat rds rdata",
};

/** Ending without its dot → what it is. */
export const BINARY_EXTENSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_KIND).flatMap(([kind, names]) =>
    names.split(" ").map((name): [string, string] => [name, kind])
  ),
);

/** Endings whose documents a text write would destroy, whether or not they exist. */
export const OFFICE_EXTENSIONS: ReadonlySet<string> = new Set(
  "doc docx ppt pptx xls xlsx xlsb xlsm odt ods odp rtf epub".split(" "),
);

interface Magic {
  type: string;
  at?: number;
  bytes: readonly number[];
}

function ascii(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0));
}

export const MAGIC: readonly Magic[] = [
  { type: "PNG image", bytes: [0x89, ...ascii("PNG")] },
  { type: "JPEG image", bytes: [0xff, 0xd8, 0xff] },
  { type: "GIF image", bytes: ascii("GIF8") },
  { type: "WebP image", at: 8, bytes: ascii("WEBP") },
  { type: "PDF document", bytes: ascii("%PDF-") },
  { type: "ZIP archive", bytes: [0x50, 0x4b, 3, 4] },
  { type: "gzip archive", bytes: [0x1f, 0x8b] },
  { type: "bzip2 archive", bytes: ascii("BZh") },
  { type: "xz archive", bytes: [0xfd, ...ascii("7zXZ")] },
  { type: "Zstandard archive", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { type: "7-Zip archive", bytes: [...ascii("7z"), 0xbc, 0xaf] },
  { type: "RAR archive", bytes: ascii("Rar!\x1a") },
  { type: "tar archive", at: 257, bytes: ascii("ustar") },
  { type: "ELF executable", bytes: [0x7f, ...ascii("ELF")] },
  { type: "Mach-O executable", bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { type: "Java class", bytes: [0xca, 0xfe, 0xba, 0xbe] },
  { type: "WebAssembly module", bytes: [0, ...ascii("asm")] },
  { type: "Windows executable", bytes: [...ascii("MZ"), 0x90] },
  { type: "SQLite database", bytes: ascii("SQLite format 3\0") },
  { type: "Ogg media", bytes: ascii("OggS") },
  { type: "MP3 audio", bytes: ascii("ID3\x03") },
  { type: "MP4 media", at: 4, bytes: ascii("ftyp") },
  { type: "RIFF media", bytes: ascii("RIFF") },
];
