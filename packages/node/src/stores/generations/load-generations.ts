import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { removeIfThere, replaceFile, setAside, syncDirectory } from '../files/atomic-file.ts';
import { sizeOf } from '../files/file-system.ts';
import { toLine } from '../log/record-line.ts';
import { type RecoveryOptions, recoverLog } from '../log/recover-log.ts';
import {
  compareSegments,
  contentFileName,
  isThrough,
  metadataFileName,
  parseLogFileName,
  type SegmentName,
} from '../log/segment-name.ts';
import { refuseNewerVersion } from '../tables/config-file.ts';
import type { EntryVersion, GenerationEntry } from './generation-entry.ts';
import { createGenerationIndex, type GenerationIndex } from './generation-index.ts';
import {
  type CarriedForward,
  type ContentReference,
  fromCarriedSum,
  type MetadataLine,
  parseMetadata,
  segmentLine,
} from './generation-lines.ts';

interface LoadedGenerations {
  readonly index: GenerationIndex;
  readonly carried: CarriedForward;
  /** Segments whose content file still holds deleted content. */
  readonly withDeletedContent: ReadonlySet<SegmentName>;
  /** Generations whose content reference lies beyond the end of the file. */
  readonly beyondEnd: readonly GenerationEntry[];
}

export interface LoadOptions extends RecoveryOptions {
  readonly logsPath: string;
}

const NOTHING_CARRIED: CarriedForward = { droppedThrough: null, contentDroppedThrough: null, spentNanoUsd: [] };

type GenerationLine = Extract<MetadataLine, { type: 'generation' | 'update' }>;

interface Loading {
  readonly index: GenerationIndex;
  /** Later versions whose first version was not found: it was dropped or damaged. */
  readonly orphans: Map<string, Extract<MetadataLine, { type: 'update' }>>;
  readonly withDeletedContent: Set<SegmentName>;
  /** Content files by the name in a reference; null for an invalid name. */
  readonly contentFiles: Map<string, string | null>;
  carried: CarriedForward;
}

/**
 * Reads all metadata into memory, repairs damage, and finishes what a crash has interrupted: removes dropped files and
 * unreferenced content. Does not read contents.
 */
export async function loadGenerations(options: LoadOptions): Promise<LoadedGenerations> {
  const { logsPath } = options;
  const loading: Loading = {
    index: createGenerationIndex(),
    orphans: new Map(),
    withDeletedContent: new Set(),
    contentFiles: new Map(),
    carried: NOTHING_CARRIED,
  };
  // As that of budgets, not that of retention, which may be behind for a day.
  loading.index.spending.follow(options.now);
  loading.index.spending.beginStored();
  for (const segment of await listSegments(options)) {
    loading.index.addSegment(segment);
    const path = join(logsPath, metadataFileName(segment));
    let records = 0;
    const damage = await recoverLog(options, path, (record) => {
      records += 1;
      const line = parseMetadata(record);
      if (line !== undefined) applyLine(loading, { segment, path, line });
    });
    if (records === 0) await reportEmptiedLog(options, { segment, path, isReported: damage === 'damaged' });
  }
  const { index, carried } = loading;
  adoptOrphans(loading);
  if (carried.droppedThrough !== null) {
    // After a crash between storing the sums and removing the files, the sums include these records already.
    const counted = index.removeThrough(carried.droppedThrough);
    for (const entry of counted.entries()) index.spending.subtract(entry);
  }
  // What was dropped came before all that is left.
  index.spending.beginStored();
  for (const sum of inOrderOfDays(carried.spentNanoUsd.map(fromCarriedSum))) index.spending.add(sum);
  index.spending.endStored();
  if (carried.contentDroppedThrough !== null) index.removeContentThrough(carried.contentDroppedThrough);
  await removeDroppedFiles(options, carried);
  const beyondEnd = await checkContentFiles(options, index);
  return { index, carried, withDeletedContent: loading.withDeletedContent, beyondEnd };
}

/** Days that are ahead come last. */
export function inOrderOfDays<Sum extends { readonly day: string }>(sums: readonly Sum[]): readonly Sum[] {
  return sums.toSorted((one, other) => (one.day < other.day ? -1 : Number(one.day > other.day)));
}

async function listSegments({ files, logsPath }: LoadOptions): Promise<readonly SegmentName[]> {
  const found = (await files.list(logsPath)).map(parseLogFileName);
  return found
    .flatMap((file) => (file?.kind === 'generations' && !file.isCorrupt ? [file.segment] : []))
    .sort(compareSegments);
}

function applyLine(
  loading: Loading,
  { segment, path, line }: { readonly segment: SegmentName; readonly path: string; readonly line: MetadataLine },
): void {
  const { index } = loading;
  switch (line.type) {
    case 'segment':
      return refuseNewerVersion(path, line);
    case 'carried':
      loading.carried = line;
      return;
    case 'content-deleted': {
      const entry = index.find(line.id);
      if (entry === undefined || entry.content === null) return;
      entry.content = null;
      if (line.isLost !== true) loading.withDeletedContent.add(entry.segment);
      return;
    }
    case 'generation':
    case 'update': {
      const { id } = line;
      const version = toVersion(segment, line);
      const entry = index.find(id);
      if (entry !== undefined) index.replace(entry, version);
      else if (line.type === 'update') loading.orphans.set(id, line);
      else index.add({ id, segment, version, content: checkReference(loading, line.content, segment) });
    }
  }
}

function toVersion(
  segment: SegmentName,
  { principalId, userId, workspaceId, costNanoUsd, feeNanoUsd, day, isByok = false, generation }: GenerationLine,
): EntryVersion {
  return {
    principalId,
    userId,
    workspaceId,
    costNanoUsd,
    feeNanoUsd,
    day: day ?? segment.slice(0, 10),
    isByok,
    text: generation,
  };
}

/** A reference is valid only for a content file of its own segment. */
function checkReference(
  { contentFiles }: Loading,
  reference: ContentReference | null,
  segment: SegmentName,
): ContentReference | null {
  if (reference === null) return null;
  const { file, offset, length } = reference;
  let known = contentFiles.get(file);
  if (known === undefined) {
    const parsed = parseLogFileName(file);
    known = parsed?.kind === 'content' && parsed.segment === segment && !parsed.isCorrupt ? file : null;
    contentFiles.set(file, known);
  }
  return known === null ? null : { file: known, offset, length };
}

function adoptOrphans(loading: Loading): void {
  const { index, orphans } = loading;
  for (const [id, line] of orphans) {
    // When the first version was dropped, the later one is dropped at once. When the first was lost to damage, the
    // later one replaces it, but its content is unknown.
    const { segment } = line;
    index.add({ id, segment, version: toVersion(segment, line), content: null });
  }
}

/** Removes every file that retention has dropped, including files set aside as damaged. */
export async function removeDroppedFiles(
  { files, logsPath }: Pick<LoadOptions, 'files' | 'logsPath'>,
  { droppedThrough, contentDroppedThrough }: CarriedForward,
): Promise<void> {
  let isChanged = false;
  for (const name of await files.list(logsPath)) {
    const file = parseLogFileName(name);
    if (file === undefined) continue;
    const isContentDropped = file.kind === 'content' && isThrough(file.segment, contentDroppedThrough);
    if (!isContentDropped && !isThrough(file.segment, droppedThrough)) continue;
    await removeIfThere(files, join(logsPath, name));
    isChanged = true;
  }
  if (isChanged) await syncDirectory(files, logsPath);
}

/** Measures content files, removes unreferenced ones, and returns the generations that refer beyond the end of one. */
async function checkContentFiles(
  { files, logsPath, logger }: LoadOptions,
  index: GenerationIndex,
): Promise<readonly GenerationEntry[]> {
  const names = await files.list(logsPath);
  reportMissingLogs({ logger }, names);
  const referenced = new Set<string>();
  for (const { content } of index.entries()) if (content !== null) referenced.add(content.file);
  const isCertain = segmentsReadInFull(names);
  const sizes = new Map<string, number>();
  for (const facts of index.segments) facts.contentBytes = 0;
  for (const name of names) {
    const file = parseLogFileName(name);
    if (file?.kind !== 'content' || file.isCorrupt) continue;
    if (!referenced.has(name) && isCertain.has(file.segment)) {
      // Unreferenced: a crash has interrupted a compaction or a batch, or all its content was deleted.
      await removeIfThere(files, join(logsPath, name));
      continue;
    }
    const size = await sizeOf(files, join(logsPath, name));
    sizes.set(name, size);
    index.addSegment(file.segment).contentBytes += size;
  }
  return [...index.entries()].filter(
    ({ content }) => content !== null && content.offset + content.length > (sizes.get(content.file) ?? 0),
  );
}

/** Segments whose metadata is complete: only in these an unreferenced content is known to be unused. */
function segmentsReadInFull(names: readonly string[]): ReadonlySet<SegmentName> {
  const metadata = names.map(parseLogFileName).filter((file) => file?.kind === 'generations');
  const damaged = new Set(metadata.flatMap((file) => (file?.isCorrupt ? [file.segment] : [])));
  return new Set(metadata.flatMap((file) => (file === undefined || damaged.has(file.segment) ? [] : [file.segment])));
}

/** The content file that a segment continues with: its newest. */
export async function currentContentFile(
  { files, logsPath }: Pick<LoadOptions, 'files' | 'logsPath'>,
  segment: SegmentName,
): Promise<string> {
  let revision = 0;
  for (const name of await files.list(logsPath)) {
    const file = parseLogFileName(name);
    if (file?.kind === 'content' && file.segment === segment) revision = Math.max(revision, file.revision);
  }
  return contentFileName(segment, revision);
}

/** A log of generations in which not even its first line was found. */
interface EmptiedLog {
  readonly segment: SegmentName;
  readonly path: string;
  /** Whether its damage has been reported, and the file was set aside. */
  readonly isReported: boolean;
}

/**
 * Reports a log of generations that holds nothing beside contents of its day: the contents are written after its first
 * line, so something has emptied it. Sets it aside, by which the contents are known to be more than leftovers, and puts
 * a new one in its place.
 */
async function reportEmptiedLog(
  options: RecoveryOptions & { readonly logsPath: string },
  { segment, path, isReported }: EmptiedLog,
): Promise<void> {
  const { files, logsPath, logger, now } = options;
  const contents: string[] = [];
  for (const name of await files.list(logsPath)) {
    const file = parseLogFileName(name);
    if (file?.kind !== 'content' || file.segment !== segment || file.isCorrupt) continue;
    if ((await stat(join(logsPath, name))).size > 0) contents.push(name);
  }
  if (contents.length === 0) return;
  const keptAs = isReported ? undefined : await setAside(files, path, now());
  await replaceFile(files, path, toLine(segmentLine()));
  if (isReported) return;
  logger?.warn(
    'A log of generations is empty beside the contents of its day; the contents are kept, what was said about them is lost',
    { file: path, keptAs, contents },
  );
}

/** Reports contents beside which there is no log at all. They are kept, in case it is put back. */
function reportMissingLogs({ logger }: Pick<RecoveryOptions, 'logger'>, names: readonly string[]): void {
  const files = names.flatMap((name) => parseLogFileName(name) ?? []);
  const described = new Set(files.flatMap(({ kind, segment }) => (kind === 'generations' ? [segment] : [])));
  const contents = names.filter((name) => {
    const file = parseLogFileName(name);
    return file?.kind === 'content' && !file.isCorrupt && !described.has(file.segment);
  });
  if (contents.length === 0) return;
  logger?.warn('Contents have no log of generations beside them; they are kept until they are too old', { contents });
}
