import { type GenerationFacts, type GenerationRecord, toGenerationFacts } from '@model-gateway/core';
import type { ContentReference } from './generation-lines.ts';
import { parseGenerationText } from './generation-text.ts';
import type { SegmentName } from './segment-name.ts';
import { type KeptText, readKeptText } from './text-pile.ts';

/** One generation in memory. */
export interface Entry {
  readonly id: string;
  /** Where its first version stands; it goes when that segment is dropped. */
  readonly segment: SegmentName;
  principalId: string;
  userId: string | undefined;
  workspaceId: string | undefined;
  costNanoUsd: number;
  /** The day it began. */
  day: string;
  isByok: boolean;
  /** Only of one that was changed since the start: parsing all of them would double the time to start. */
  record: GenerationRecord | undefined;
  /** The generation as `toGenerationText` writes it, while there is no `record`. */
  text: KeptText | undefined;
  /** Undefined until a filter looks at it. */
  facts: GenerationFacts | undefined;
  content: ContentReference | null;
  /** Place in the order of writing; -1 until written, when only its id is taken. */
  position: number;
}

/** What a later version of a generation may change. */
export type EntryVersion = Pick<
  Entry,
  'principalId' | 'userId' | 'workspaceId' | 'costNanoUsd' | 'day' | 'isByok' | 'record' | 'text' | 'facts'
>;

/** Makes an entry that has not been written yet. Member by member: to spread a version costs several times as much. */
export function createEntry(
  id: string,
  segment: SegmentName,
  version: EntryVersion,
  content: ContentReference | null,
): Entry {
  return {
    id,
    segment,
    principalId: version.principalId,
    userId: version.userId,
    workspaceId: version.workspaceId,
    costNanoUsd: version.costNanoUsd,
    day: version.day,
    isByok: version.isByok,
    record: version.record,
    text: version.text,
    facts: version.facts,
    content,
    position: -1,
  };
}

/** The record of an entry. Parsed anew each time: whoever goes through all of them must not leave all of them behind. */
export function recordOfEntry(entry: Entry): GenerationRecord {
  const { record, text, principalId, userId, costNanoUsd } = entry;
  if (record !== undefined) return record;
  if (text === undefined) throw new Error(`Generation ${entry.id} has neither a record nor its text`);
  const generation = parseGenerationText(readKeptText(text), entry);
  return { generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd };
}

/** What filters look at of an entry. The record itself is not kept for it: it takes twenty times as much. */
export function factsOfEntry(entry: Entry): GenerationFacts {
  if (entry.facts !== undefined) return entry.facts;
  entry.facts = toGenerationFacts(recordOfEntry(entry));
  return entry.facts;
}
