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
  /** Lines added to the metadata file, to tell when the segment is full. */
  lines: number;
  /** Batches that will still be written to it. */
  openBatches: number;
  /** Set until the names of its files are durable, which the first sync sees to. */
  newIn: string | null;
}

/** Where a segment begins or goes on: the content file that is its own at present, and the lines it has. */
export interface SegmentStart {
  readonly name: SegmentName;
  readonly contentFile: string;
  readonly lines: number;
}

/** Opens or creates the files of a segment, without waiting for the disk. `closeSegment` lets go of them. */
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

/** Hands lines to the operating system, in both files or in neither. */
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

/** Brings both files to the disk itself, with what an earlier sync has failed to bring there. */
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
    // Bytes under a name that may be lost are no safer than lost bytes.
    segment.metadata.hasFailedSync = true;
    throw error;
  }
}

/** Whether something waits for the next sync. */
export function isDirty({ metadata, content, newIn }: Segment): boolean {
  return newIn !== null || metadata.synced < metadata.end || content.synced < content.end;
}

export function hasFailedSync({ metadata, content }: Segment): boolean {
  return metadata.hasFailedSync || content.hasFailedSync;
}

/** Closes both files, whatever happens to the first. */
export async function closeSegment(files: FileSystem, segment: Segment): Promise<void> {
  const closed = await Promise.allSettled([files.close(segment.content.fd), files.close(segment.metadata.fd)]);
  const failure = closed.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
