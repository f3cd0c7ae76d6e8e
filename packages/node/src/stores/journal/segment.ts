import { join } from 'node:path';

import { syncDirectory } from '../files/atomic-file.ts';
import type { FileSystem } from '../files/file-system.ts';
import { type AppendFile, cutOff, moveEnd, openAppendFile, syncFile, writeAtEnd } from './append-file.ts';
import { segmentLine } from './generation-lines.ts';
import { type LineBuffer, toLine } from './record-line.ts';
import { endOfSegment, metadataFileName, type SegmentName } from './segment-name.ts';

/** A pair of files that is open for writing. */
export interface Segment {
  readonly name: SegmentName;
  readonly contentFile: string;
  readonly endsAtMs: number;
  readonly metadata: AppendFile;
  readonly content: AppendFile;
  /** Lines of the metadata file, which say when the segment is full. */
  lines: number;
  /** Batches that are still to be written to it. */
  openBatches: number;
  /** The directory of its files, until a sync has made their names durable. */
  newIn: string | null;
}

/** The state from which a segment is opened: its current content file and the number of its lines. */
export interface SegmentStart {
  readonly name: SegmentName;
  readonly contentFile: string;
  readonly lines: number;
}

/** Opens or creates the files of a segment, without a sync. `closeSegment` closes them. */
export async function openSegment(files: FileSystem, logsPath: string, start: SegmentStart): Promise<Segment> {
  const { name, contentFile, lines } = start;
  const metadata = await openAppendFile(files, join(logsPath, metadataFileName(name)), toLine(segmentLine()));
  try {
    const content = await openAppendFile(files, join(logsPath, contentFile));
    const endsAtMs = endOfSegment(name);
    return { name, contentFile, endsAtMs, metadata, content, lines, openBatches: 0, newIn: logsPath };
  } catch (error) {
    await files.close(metadata.fd).catch(() => undefined);
    throw error;
  }
}

/** Writes lines to both files or to neither, without a sync. */
export async function writeSegment(
  files: FileSystem,
  segment: Segment,
  lines: { readonly metadata: LineBuffer; readonly content: LineBuffer },
): Promise<void> {
  const writes = [writeAtEnd(files, segment.metadata, lines.metadata.bytes, lines.metadata.length)];
  if (lines.content.length > 0) {
    writes.push(writeAtEnd(files, segment.content, lines.content.bytes, lines.content.length));
  }
  const failure = (await Promise.allSettled(writes)).find((result) => result.status === 'rejected');
  if (failure !== undefined) {
    await Promise.all([cutOff(files, segment.metadata), cutOff(files, segment.content)]);
    throw failure.reason;
  }
  moveEnd(segment.metadata, lines.metadata.length);
  moveEnd(segment.content, lines.content.length);
}

/** Syncs both files, including what an earlier sync has failed to bring to the disk. */
export async function syncSegment(files: FileSystem, segment: Segment): Promise<void> {
  await syncNames(files, segment);
  const syncs = [syncFile(files, segment.content), syncFile(files, segment.metadata)];
  const failure = (await Promise.allSettled(syncs)).find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

async function syncNames(files: FileSystem, segment: Segment): Promise<void> {
  if (segment.newIn === null) return;
  try {
    await syncDirectory(files, segment.newIn);
    segment.newIn = null;
  } catch (error) {
    // While the name may be lost, the bytes count as not synced.
    segment.metadata.hasFailedSync = true;
    throw error;
  }
}

/** Whether anything is not synced yet. */
export function isDirty({ metadata, content, newIn }: Segment): boolean {
  return newIn !== null || metadata.synced < metadata.end || content.synced < content.end;
}

export function hasFailedSync({ metadata, content }: Segment): boolean {
  return metadata.hasFailedSync || content.hasFailedSync;
}

/** Closes both files, the second also when the first fails. */
export async function closeSegment(files: FileSystem, segment: Segment): Promise<void> {
  const closed = await Promise.allSettled([files.close(segment.content.fd), files.close(segment.metadata.fd)]);
  const failure = closed.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
