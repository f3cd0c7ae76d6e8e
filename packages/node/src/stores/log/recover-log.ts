import type { Logger } from '@model-gateway/core';

import { replaceFile, setAside } from '../files/atomic-file.ts';
import { type FileSystem, OPEN, withFile } from '../files/file-system.ts';
import { isLineBeginning, recordOf, salvageRecords, toLine } from './record-line.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;
/** Longer than any line of a log. Without a limit, a lost newline could allocate gigabytes. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = Buffer.from('\r');
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface RecoveryOptions {
  readonly files: FileSystem;
  readonly logger: Logger | undefined;
  readonly now: () => number;
}

/**
 * Damage of a log: `torn` when only its last line is cut short, as after a crash; `damaged` for any other content
 * that the gateway did not write.
 */
type Damage =
  | { readonly kind: 'torn'; readonly goodBytes: number }
  | { readonly kind: 'damaged'; readonly firstBadByte: number; readonly badLines: number };

/**
 * Hands over every good record of a log, in order; afterwards the file has good lines only. A torn last line is cut
 * off. On other damage the file is set aside as `<name>.corrupt-<time>` and replaced by one with every good line. Both
 * are reported. The records' bytes stay valid. Returns which of the two it was. Rejects when the file cannot be read or
 * repaired.
 */
export async function recoverLog(
  options: RecoveryOptions,
  path: string,
  onRecord: (record: Buffer) => void,
): Promise<Damage['kind'] | undefined> {
  const damage = await readRecords(options.files, path, onRecord);
  if (damage === undefined) return undefined;
  if (damage.kind === 'torn') {
    await cut(options.files, path, damage.goodBytes);
    options.logger?.warn('The last line of a log was cut short, as by a crash while writing; it was removed', {
      file: path,
      goodBytes: damage.goodBytes,
    });
    return damage.kind;
  }
  const keptAs = await setAside(options.files, path, options.now());
  const goodLines = await writeGoodLines(options.files, path);
  options.logger?.warn('A log file was damaged; every good line of it is kept', {
    file: path,
    keptAs,
    firstBadByte: damage.firstBadByte,
    badLines: damage.badLines,
    goodLines,
  });
  return damage.kind;
}

/** Reads a file line by line. A line comes without its newline, and its bytes stay valid. */
export async function forEachLine(
  files: FileSystem,
  path: string,
  onLine: (line: Buffer, offset: number, isTerminated: boolean) => void | Promise<void>,
): Promise<void> {
  await withFile(files, path, OPEN.read, async (fd) => {
    const { size } = await files.stat(fd);
    let rest: Buffer = Buffer.alloc(0);
    let position = 0;
    while (position + rest.length < size) {
      const readAt = position + rest.length;
      // Each read has a new buffer, because records are kept as views of it until they are parsed.
      const chunk = Buffer.allocUnsafeSlow(rest.length + Math.min(CHUNK_BYTES, size - readAt));
      rest.copy(chunk);
      const count = await files.read(fd, chunk, rest.length, chunk.length - rest.length, readAt);
      if (count === 0) break;
      const bytes = chunk.subarray(0, rest.length + count);
      let start = position === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
      for (let end = bytes.indexOf(NEWLINE, start); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        const waiting = onLine(bytes.subarray(start, end), position + start, true);
        if (waiting !== undefined) await waiting;
        start = end + 1;
      }
      if (bytes.length - start > MAX_LINE_BYTES) {
        await onLine(bytes.subarray(start), position + start, true);
        start = bytes.length;
      }
      position += start;
      rest = bytes.subarray(start);
    }
    if (rest.length > 0) await onLine(rest, position, false);
  });
}

async function readRecords(
  files: FileSystem,
  path: string,
  onRecord: (record: Buffer) => void,
): Promise<Damage | undefined> {
  let firstBadByte: number | undefined;
  let badLines = 0;
  let tornAt: number | undefined;
  await forEachLine(files, path, (line, offset, isTerminated) => {
    const record = recordOf(line);
    if (record !== undefined) return onRecord(record);
    // An empty line stands after the rest of a write that a crash has interrupted.
    if (isTerminated && (line.length === 0 || line.equals(CARRIAGE_RETURN))) return;
    const salvaged = salvageRecords(line);
    for (const found of salvaged) onRecord(found);
    if (!isTerminated && salvaged.length === 0 && isLineBeginning(line)) {
      tornAt = offset;
      return;
    }
    firstBadByte ??= offset;
    badLines += 1;
  });
  if (firstBadByte !== undefined) return { kind: 'damaged', firstBadByte, badLines };
  return tornAt === undefined ? undefined : { kind: 'torn', goodBytes: tornAt };
}

async function cut(files: FileSystem, path: string, length: number): Promise<void> {
  await withFile(files, path, OPEN.readWriteOrCreate, async (fd) => {
    await files.truncate(fd, length);
    await files.sync(fd);
  });
}

async function writeGoodLines(files: FileSystem, path: string): Promise<number> {
  let goodLines = 0;
  await replaceFile(files, path, async (write) => {
    await forEachLine(files, path, async (line) => {
      const record = recordOf(line);
      for (const good of record === undefined ? salvageRecords(line) : [record]) {
        await write(toLine(good));
        goodLines += 1;
      }
    });
  });
  return goodLines;
}
