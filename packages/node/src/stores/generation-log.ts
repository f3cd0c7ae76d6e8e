import type { GenerationContent, GenerationRecord, GenerationRepository } from '@model-gateway/core';
import { startRetention } from './apply-retention.ts';
import { compactSegment } from './compaction.ts';
import { type ContentReader, createContentReader } from './content-reader.ts';
import { errorReason } from './file-system.ts';
import type { Entry, EntryVersion } from './generation-entry.ts';
import type { GenerationIndex } from './generation-index.ts';
import {
  type CarriedForward,
  carriedLine,
  type ContentReference,
  contentDeletedLine,
  contentHead,
  dayOfGeneration,
  generationLine,
  recordHead,
  updateLine,
} from './generation-lines.ts';
import { toGenerationText } from './generation-text.ts';
import {
  addOperation,
  type BatchLines,
  type Journal,
  type JournalOptions,
  openJournal,
  putContent,
} from './journal.ts';
import { currentContentFile, loadGenerations, type LoadOptions } from './load-generations.ts';
import type { OpenSegmentsOptions } from './open-segments.ts';
import { type RetentionLimits, segmentLimits } from './retention.ts';
import type { SegmentStart } from './segment.ts';
import { settleLostContent } from './settle-lost-content.ts';
import { isThrough, nextSegment, type SegmentName } from './segment-name.ts';

/** What the log needs. `logsPath` exists and belongs to this process. */
export interface GenerationLogOptions extends LoadOptions {
  readonly setTimer: OpenSegmentsOptions['setTimer'];
  readonly limits: RetentionLimits;
}

/** Generations on disk, to be closed by whoever opened them. */
export interface GenerationLog {
  readonly repository: GenerationRepository;
  /** How many there were at start. */
  readonly loaded: number;
  /** Writes and syncs what is pending; rejects when something may not have become durable. */
  close(): Promise<void>;
}

/** What is written to the journal, and done to the index once it has been. */
type Operation =
  | {
      readonly type: 'add';
      readonly record: GenerationRecord;
      readonly content: GenerationContent | null;
      /** Known once its lines are in their batch. */
      written: {
        readonly text: string;
        readonly segment: SegmentName;
        readonly content: ContentReference | null;
      } | null;
    }
  | { readonly type: 'replace'; readonly entry: Entry; readonly record: GenerationRecord; text: string }
  | { readonly type: 'delete-content'; readonly entry: Entry; readonly isLost: boolean }
  | { readonly type: 'carry'; readonly carried: CarriedForward };

/** Opens the generations of a directory: reads and repairs, compacts, drops what is too old or too much. */
export async function openGenerationLog(options: GenerationLogOptions): Promise<GenerationLog> {
  const { index, carried, withDeletedContent, beyondEnd } = await loadGenerations(options);
  const loaded = index.size;
  const reader = createContentReader({ ...options, index });
  for (const segment of withDeletedContent) await compact(options, { index, reader, segment });

  const journal = await openJournal<Operation>(await chooseStart(options, index, carried), {
    ...options,
    segmentLimits: segmentLimits(options.limits),
    encode: createEncoder(index),
    commit: (operation) => commit(index, operation),
    rolled: () => void index.addSegment(journal.active.name),
    // Retiring needs a batch to have been written, and there is none before retention has begun below.
    retired: () => retention.look(),
  });
  index.addSegment(journal.active.name);
  const retention = startRetention<Operation>({
    ...options,
    index,
    journal,
    carried,
    toOperation: (next) => ({ type: 'carry', carried: next }),
  });
  await retention.settled();
  const toOperation = (entry: Entry): Operation => ({ type: 'delete-content', entry, isLost: true });
  await settleLostContent({ ...options, reader, journal, toOperation }, beyondEnd);

  return {
    repository: createRepository({ index, reader, journal }),
    loaded,
    async close() {
      retention.stop();
      await retention.settled();
      await journal.close();
    },
  };
}

async function compact(
  options: GenerationLogOptions,
  target: { readonly index: GenerationIndex; readonly reader: ContentReader; readonly segment: SegmentName },
): Promise<void> {
  try {
    await compactSegment({ ...options, ...target }, target.segment);
  } catch (error) {
    options.logger?.warn('Deleted content could not be removed from the disk yet; the next start tries again', {
      segment: target.segment,
      reason: errorReason(error),
    });
  }
}

/** Goes on with the newest segment if it is of today, else begins one that is newer than everything there has been. */
async function chooseStart(
  options: GenerationLogOptions,
  index: GenerationIndex,
  { droppedThrough }: CarriedForward,
): Promise<SegmentStart> {
  const newest = index.segments.at(-1)?.name ?? null;
  const last = newest === null || isThrough(newest, droppedThrough) ? droppedThrough : newest;
  const next = nextSegment(last, options.now());
  // The next part of the day that is there already: so that part is still today's.
  const isSameDay = last !== null && next.slice(0, 10) === last.slice(0, 10);
  const name = isSameDay && last === newest ? last : next;
  const lines = index.segments.find((segment) => segment.name === name)?.records ?? 0;
  return { name, contentFile: await currentContentFile(options, name), lines };
}

function createEncoder(index: GenerationIndex): JournalOptions<Operation>['encode'] {
  let batch: BatchLines | undefined;
  /** Of this batch. A set for all of them that ids come to and go from would leave its tables to the full collector. */
  let ids = new Set<string>();
  return (operation, lines) => {
    if (lines !== batch) ids = new Set();
    batch = lines;
    switch (operation.type) {
      case 'add': {
        const { id } = operation.record.generation;
        // What was written before this batch is in the index by now.
        if (ids.has(id) || index.find(id)) throw new Error(`A generation with the id ${id} exists already`);
        putGeneration(operation, lines);
        ids.add(id);
        return;
      }
      case 'replace': {
        const { record, entry } = operation;
        operation.text = toGenerationText(record.generation);
        return void lines.metadata.add(updateLine(recordHead(record, null), operation.text, entry.segment));
      }
      case 'delete-content':
        return void lines.metadata.add(contentDeletedLine(operation.entry.id, operation.isLost));
      case 'carry':
        return void lines.metadata.add(carriedLine(operation.carried));
    }
  };
}

function putGeneration(operation: Operation & { readonly type: 'add' }, lines: BatchLines): void {
  const { record, content } = operation;
  const segment = lines.segment.name;
  const text = toGenerationText(record.generation);
  const head = recordHead(record, segment);
  const contentText = content === null ? null : JSON.stringify(content);
  // Nothing throws from here on.
  const place = contentText === null ? null : putContent(lines, contentHead(record.generation.id), contentText, '}');
  lines.metadata.add(generationLine(head, place), text, '}');
  operation.written = { text, segment, content: place };
}

function commit(index: GenerationIndex, operation: Operation): void {
  switch (operation.type) {
    case 'add':
      return addWritten(index, operation);
    case 'replace':
      return index.replace(operation.entry, versionOf(operation.record, operation.text));
    case 'delete-content':
      operation.entry.content = null;
      return;
    case 'carry':
  }
}

function addWritten(index: GenerationIndex, { record, written }: Operation & { readonly type: 'add' }): void {
  if (written === null) throw new Error('A generation was committed that had not been written');
  const { text, segment, content } = written;
  index.add({ id: record.generation.id, segment, version: versionOf(record, text), content });
}

interface Parts {
  readonly index: GenerationIndex;
  readonly reader: ContentReader;
  readonly journal: Journal<Operation>;
}

function createRepository({ index, reader, journal }: Parts): GenerationRepository {
  return {
    append(record, content) {
      // Not an async function: the operation's promise is enough.
      try {
        return addOperation(journal.batch(), { type: 'add', record, content, written: null });
      } catch (error) {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
    },
    async update(record) {
      const entry = index.find(record.generation.id);
      if (entry === undefined) return false;
      await addOperation(journal.batch(), { type: 'replace', entry, record, text: '' });
      return true;
    },
    get(id) {
      return index.find(id)?.readRecord();
    },
    getContent(id) {
      const entry = index.find(id);
      return entry === undefined || entry.content === null ? undefined : reader.read(entry);
    },
    async deleteContent(id) {
      const entry = index.find(id);
      if (entry === undefined || entry.content === null) return false;
      await addOperation(journal.batch(), { type: 'delete-content', entry, isLost: false });
      return true;
    },
    page: (query) => index.page(query),
    histogram: (query) => index.histogram(query),
    facets: (filter) => index.facets(filter),
    activity: (query) => index.activity(query),
    count: () => index.size,
    spentNanoUsd: index.spending.totalNanoUsd,
    spent: index.spending.spent,
  };
}

function versionOf({ generation, principalId, userId, costNanoUsd }: GenerationRecord, text: string): EntryVersion {
  return {
    principalId,
    userId,
    workspaceId: generation.workspace_id ?? undefined,
    costNanoUsd,
    day: dayOfGeneration(generation),
    isByok: generation.is_byok,
    text,
  };
}
