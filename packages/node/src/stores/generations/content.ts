import { join } from 'node:path';

import { fromPacked, fromStoredForm, type Logger, type StoredContent, toPreview } from '@model-gateway/core';

import { type FileSystem, ifThere, OPEN, readFully, withFile } from '../files/file-system.ts';
import { beginningOf, recordOf } from '../log/record-line.ts';
import { forEachLine } from '../log/recover-log.ts';
import { type Blocks, readBlocks } from './content-blocks.ts';
import type { GenerationEntry } from './generation-entry.ts';
import type { GenerationIndex } from './generation-index.ts';
import { type ContentReference, MAX_HEAD_BYTES, parseContent, parsePreview } from './generation-lines.ts';
import type { Journal } from './generation-segments.ts';

export interface ContentReaderOptions {
  readonly files: FileSystem;
  readonly logsPath: string;
  readonly logger: Logger | undefined;
  readonly index: GenerationIndex;
}

/** Bytes of a content without a preview that are read for one. */
const MAX_READ_FOR_PREVIEW = 64 * 1024;

/** Reads contents from disk. All return undefined when there is none, or report one that is not complete. */
export interface ContentReader {
  read(entry: GenerationEntry): Promise<StoredContent | undefined>;
  /** Reads no more than the beginning, unless a former version has written it. */
  readPreview(entry: GenerationEntry): Promise<string | undefined>;
  /** The bytes of the record as they stand in the file. */
  readBytes(entry: GenerationEntry): Promise<Buffer | undefined>;
  /** The blocks of a record of the entry's file; undefined when one is lost, which is reported. */
  readBlocks(entry: GenerationEntry, record: Buffer): Promise<Blocks | undefined>;
}

/**
 * Creates a reader, which reads once, at the known offset, and checks the line. Where offsets are wrong (converted line
 * ends, a hole from a crash), it searches the file once and corrects all its offsets.
 */
export function createContentReader(options: ContentReaderOptions): ContentReader {
  const searched = new Set<string>();

  const readBytes = async (entry: GenerationEntry): Promise<Buffer | undefined> => {
    const reference = entry.content;
    if (reference === null) return undefined;
    const found = await readRecordAt(options, entry.id, reference);
    // It is no error when the content was deleted or dropped during the read.
    if (found !== undefined || !isSamePlace(entry.content, reference) || searched.has(reference.file)) return found;
    searched.add(reference.file);
    options.logger?.warn('A content log does not hold what it should where it should; it is searched once', {
      file: reference.file,
      generation: entry.id,
    });
    await correctOffsets(options, reference.file);
    const corrected: ContentReference | null = entry.content;
    if (corrected === null || isSamePlace(corrected, reference)) return undefined;
    return readRecordAt(options, entry.id, corrected);
  };

  const readBlocksOf = async (entry: GenerationEntry, record: Buffer): Promise<Blocks | undefined> => {
    const file = entry.content?.file;
    const blocks = file === undefined ? undefined : await readBlocks({ ...options, file }, record.toString());
    // It is no error when the content was deleted during the read, or moved.
    if (blocks !== undefined || entry.content?.file !== file || file === undefined) return blocks;
    options.logger?.warn('A content cannot be read: a part of it is missing from its file', {
      file,
      generation: entry.id,
    });
    return undefined;
  };

  const read = async (entry: GenerationEntry): Promise<StoredContent | undefined> => {
    const record = await readBytes(entry);
    const line = record && parseContent(record);
    if (record === undefined || line === undefined || entry.content === null) return undefined;
    if (line.packed !== true) return fromStoredForm(line.content);
    const blocks = await readBlocksOf(entry, record);
    if (blocks === undefined || entry.content === null) return undefined;
    return fromStoredForm(fromPacked(line.content, (reference) => blocks.get(reference) ?? 'null'));
  };

  return {
    read,
    readBytes,
    readBlocks: readBlocksOf,
    async readPreview(entry) {
      const reference = entry.content;
      if (reference === null) return undefined;
      const length = Math.min(reference.length, MAX_HEAD_BYTES);
      const line = await readAt(options, { ...reference, length });
      const found = line && parsePreview(beginningOf(line), entry.id);
      if (entry.content === null) return undefined;
      if (found !== undefined) return found.preview ?? undefined;
      const content = reference.length > MAX_READ_FOR_PREVIEW ? undefined : await read(entry);
      return content && (toPreview(content) ?? undefined);
    },
  };
}

function isSamePlace(left: ContentReference | null, right: ContentReference): boolean {
  return left?.file === right.file && left.offset === right.offset && left.length === right.length;
}

async function readRecordAt(
  options: ContentReaderOptions,
  id: string,
  reference: ContentReference,
): Promise<Buffer | undefined> {
  const line = await readAt(options, reference);
  const record = line && recordOf(line);
  return record !== undefined && belongsTo(record, id) ? record : undefined;
}

/** The bytes at a place; undefined when they, or the file, are not there. */
async function readAt(
  { files, logsPath }: ContentReaderOptions,
  reference: ContentReference,
): Promise<Buffer | undefined> {
  const line = Buffer.allocUnsafe(reference.length);
  const read = (fd: number): Promise<number> => readFully(files, fd, line, reference.offset);
  const count = await ifThere(withFile(files, join(logsPath, reference.file), OPEN.read, read));
  return count === line.length ? line : undefined;
}

function belongsTo(record: Buffer, id: string): boolean {
  const beginning = Buffer.from(`{"id":${JSON.stringify(id)},`);
  return record.subarray(0, beginning.length).equals(beginning);
}

async function correctOffsets({ files, logsPath, index }: ContentReaderOptions, file: string): Promise<void> {
  const places = new Map<string, ContentReference>();
  const onLine = (line: Buffer, offset: number): void => {
    const record = recordOf(line);
    const id = record && parseContent(record)?.id;
    if (id !== undefined) places.set(id, { file, offset, length: line.length });
  };
  await ifThere(forEachLine(files, join(logsPath, file), onLine));
  for (const entry of index.entries()) {
    const place = entry.content?.file === file ? places.get(entry.id) : undefined;
    if (place !== undefined) entry.content = place;
  }
}

interface LostContentOptions<Operation> {
  readonly logger: Logger | undefined;
  readonly reader: ContentReader;
  readonly journal: Journal<Operation>;
  /** Makes the operation that settles an entry in the journal. */
  readonly toOperation: (entry: GenerationEntry) => Operation;
}

/**
 * Settles entries whose content lies beyond the end of its file. Content that is found elsewhere in the file is kept;
 * for the rest a line records that there is none, so that it is reported only once. Such entries arise when the process
 * is killed between the two files of a batch, which was then not acknowledged, or when the machine fails, for the last
 * second.
 */
export async function settleLostContent<Operation>(
  { logger, reader, journal, toOperation }: LostContentOptions<Operation>,
  entries: readonly GenerationEntry[],
): Promise<void> {
  const lost: GenerationEntry[] = [];
  const files = new Set<string>();
  for (const entry of entries) {
    const file = entry.content?.file;
    if (file === undefined || (await reader.readBytes(entry)) !== undefined) continue;
    lost.push(entry);
    files.add(file);
  }
  if (lost.length === 0) return;
  logger?.warn('Content that was being written in a crash is lost', { generations: lost.length, files: [...files] });
  // A failed write is no reason not to open: the next start reports the loss again.
  await Promise.allSettled(lost.map((entry) => journal.append(toOperation(entry))));
}
