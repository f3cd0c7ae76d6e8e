/** A file of an archive. */
export interface ZipEntry {
  /** Its path, with slashes. */
  readonly name: string;
  readonly text: string;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 1) === 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** The checksum that archives have, CRC-32. */
function toChecksum(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] as number);
  return (sum ^ 0xffffffff) >>> 0;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are in UTF-8. */
const FLAGS = 0x0800;
/** 1 January 1980, the first day that the format knows: the same files make the same bytes. */
const DATE = 0x0021;

const encoder = new TextEncoder();

/** Numbers in the byte order of the format; a pair says how many bytes and the number. */
function toBytes(...fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

/**
 * Writes files as a ZIP archive, uncompressed, while they come: one file is held at a time. At most 65,535 files and 4 GB
 * in all, which the reader of the format without its extensions can take.
 */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const central: Uint8Array[] = [];
  let offset = 0;
  let count = 0;
  for await (const { name, text } of entries) {
    const [path, data] = [encoder.encode(name), encoder.encode(text)];
    // From the version on, what both headers of a file have.
    const about = toBytes(
      [2, VERSION],
      [2, FLAGS],
      [2, 0],
      [2, 0],
      [2, DATE],
      [4, toChecksum(data)],
      [4, data.length],
      [4, data.length],
      [2, path.length],
      [2, 0],
    );
    const local = [toBytes([4, LOCAL]), about, path, data];
    const place = toBytes([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    central.push(toBytes([4, CENTRAL], [2, VERSION]), about, place, path);
    for (const piece of local) {
      offset += piece.length;
      yield piece;
    }
    count += 1;
  }
  const size = central.reduce((sum, { length }) => sum + length, 0);
  yield* central;
  yield toBytes([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]);
}
