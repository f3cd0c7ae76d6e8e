import { type GenerationContent, type GenerationRecord, toPreview } from '@model-gateway/core';

import type { GenerationEntry, EntryVersion } from '../generation-index/generation-entry.ts';
import type { GenerationIndex } from '../generation-index/generation-index.ts';
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
} from '../journal/generation-lines.ts';
import { toGenerationText } from '../journal/generation-text.ts';
import { type BatchLines, type JournalOptions, putContent } from '../journal/journal.ts';
import type { SegmentName } from '../journal/segment-name.ts';

/** Operations that are written to the journal and then applied to the index. */
export type Operation =
  | {
      readonly type: 'add';
      readonly record: GenerationRecord;
      readonly content: GenerationContent | null;
      /** Set once its lines are in their batch. */
      written: {
        readonly text: string;
        readonly segment: SegmentName;
        readonly content: ContentReference | null;
      } | null;
    }
  | { readonly type: 'replace'; readonly entry: GenerationEntry; readonly record: GenerationRecord; text: string }
  | { readonly type: 'delete-content'; readonly entry: GenerationEntry; readonly isLost: boolean }
  | { readonly type: 'carry'; readonly carried: CarriedForward };

/** Creates the function that encodes operations as lines. It refuses generations whose id exists. */
export function createEncoder(index: GenerationIndex): JournalOptions<Operation>['encode'] {
  let batch: BatchLines | undefined;
  /** Ids of this batch. A set for all batches would leave its old tables to the full garbage collection. */
  let ids = new Set<string>();
  return (operation, lines) => {
    if (lines !== batch) ids = new Set();
    batch = lines;
    switch (operation.type) {
      case 'add': {
        const { id } = operation.record.generation;
        // Operations that were written before this batch are in the index by now.
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
  const preview = content === null ? null : toPreview(content);
  const contentText = content === null ? null : JSON.stringify(content);
  // Nothing throws from here on.
  const place =
    contentText === null ? null : putContent(lines, contentHead(record.generation.id, preview), contentText, '}');
  lines.metadata.add(generationLine(head, place), text, '}');
  operation.written = { text, segment, content: place };
}

/** Applies an operation that was written to the index. */
export function commit(index: GenerationIndex, operation: Operation): void {
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
