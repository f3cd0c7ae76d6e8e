import { join } from 'node:path';

import { removeIfThere, replaceFile, syncDirectory, writeNewFile } from '../files/atomic-file.ts';
import { recordOf, toLine } from '../log/record-line.ts';
import { forEachLine } from '../log/recover-log.ts';
import { contentFileName, metadataFileName, parseLogFileName, type SegmentName } from '../log/segment-name.ts';
import { createBlockCopier } from './content-blocks.ts';
import type { ContentReader, ContentReaderOptions } from './content.ts';
import { type ContentReference, isPackedContent, parseMetadata, withContent } from './generation-lines.ts';
import { currentContentFile } from './load-generations.ts';

export interface CompactionOptions extends ContentReaderOptions {
  readonly reader: ContentReader;
}

/**
 * Rewrites a segment without deleted content: first the remaining content to a new file; then, in one step, the
 * metadata that names it; then the old content is removed. After a crash one of the two is complete, and the next start
 * removes the other. The segment must not be open for writing. When it rejects, the old state remains.
 */
export async function compactSegment(options: CompactionOptions, segment: SegmentName): Promise<void> {
  const { files, logsPath, index } = options;
  const oldFile = await currentContentFile(options, segment);
  const newFile = contentFileName(segment, (parseLogFileName(oldFile)?.revision ?? 0) + 1);
  const moved = new Map<string, ContentReference>();
  const bytes = await writeRemainingContent(options, { segment, newFile, moved });
  await syncDirectory(files, logsPath);
  await writeMetadata(options, segment, moved);

  const facts = index.addSegment(segment);
  for (const entry of index.entries(segment)) entry.content = moved.get(entry.id) ?? null;
  facts.contentBytes = bytes;
  for (const name of await files.list(logsPath)) {
    const file = parseLogFileName(name);
    // All other content files of the segment are removed, because unreferenced ones may hold deleted content, too.
    if (file?.kind === 'content' && file.segment === segment && name !== newFile) {
      await removeIfThere(files, join(logsPath, name));
    }
  }
  await syncDirectory(files, logsPath);
}

async function writeRemainingContent(
  options: CompactionOptions,
  target: { readonly segment: SegmentName; readonly newFile: string; readonly moved: Map<string, ContentReference> },
): Promise<number> {
  const { files, logsPath, index, reader, logger } = options;
  let offset = 0;
  let lost = 0;
  await writeNewFile(files, join(logsPath, target.newFile), async (write) => {
    const writeRecord = async (record: string | Buffer): Promise<Omit<ContentReference, 'file'>> => {
      const line = toLine(record);
      await write(line);
      const place = { offset, length: line.length - 1 };
      offset += line.length;
      return place;
    };
    const blocksOfAll = createBlockCopier(writeRecord);
    for (const entry of index.entries(target.segment)) {
      if (entry.content === null) continue;
      const record = await reader.readBytes(entry);
      const isPacked = record !== undefined && isPackedContent(record);
      const blocks = isPacked ? await reader.readBlocks(entry, record) : undefined;
      if (record === undefined || (isPacked && blocks === undefined)) {
        lost += 1;
        continue;
      }
      const moved = blocks === undefined ? record : await blocksOfAll.copy(record.toString(), blocks);
      target.moved.set(entry.id, { file: target.newFile, ...(await writeRecord(moved)) });
    }
  });
  if (lost > 0) logger?.warn('Damaged content was not kept by compaction', { segment: target.segment, lost });
  return offset;
}

async function writeMetadata(
  { files, logsPath }: CompactionOptions,
  segment: SegmentName,
  moved: ReadonlyMap<string, ContentReference>,
): Promise<void> {
  const path = join(logsPath, metadataFileName(segment));
  await replaceFile(files, path, async (write) => {
    await forEachLine(files, path, async (line) => {
      const record = recordOf(line);
      if (record === undefined) return;
      const parsed = parseMetadata(record);
      if (parsed?.type !== 'generation') return write(toLine(record));
      await write(toLine(withContent(record, moved.get(parsed.id) ?? null)));
    });
  });
}
