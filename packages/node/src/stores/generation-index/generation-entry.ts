import { type GenerationFacts, type GenerationRecord, toGenerationFacts } from '@model-gateway/core';

import type { ContentReference } from '../journal/generation-lines.ts';
import { parseGenerationText } from '../journal/generation-text.ts';
import type { SegmentName } from '../journal/segment-name.ts';

/** Values that many generations have in common; they are stored once for all of them. */
export interface GenerationOrigin {
  readonly principalId: string;
  readonly userId: string | undefined;
  readonly workspaceId: string | undefined;
  /** The day it began. */
  readonly day: string;
  readonly isByok: boolean;
}

/** Values that a later version of a generation may change. */
export interface EntryVersion extends GenerationOrigin {
  readonly costNanoUsd: number;
  /** The generation as `toGenerationText` writes it, or the bytes of that. */
  readonly text: string | Uint8Array;
}

/** A generation as it comes to the index. */
export interface NewEntry {
  readonly id: string;
  /** Where its first version stands; it goes when that segment is dropped. */
  readonly segment: SegmentName;
  readonly version: EntryVersion;
  readonly content: ContentReference | null;
}

/** The rows of a segment, as far as one of them is read and changed by its number. */
interface EntryRows {
  readonly segment: SegmentName;
  idAt(row: number): string;
  textAt(row: number): string;
  originAt(row: number): GenerationOrigin;
  costAt(row: number): number;
  contentAt(row: number): ContentReference | null;
  setContent(row: number, place: ContentReference | null): void;
  replace(row: number, version: EntryVersion): void;
  /** `find` is called where the facts of the row are not there yet. */
  factsAt(row: number, find: () => GenerationFacts): GenerationFacts;
}

/**
 * One generation in memory: a view of its row, created on request, so that entries that are never read have no object.
 * It stays correct when the row is changed, and readable when its segment is dropped.
 */
export class GenerationEntry {
  readonly row: number;
  private readonly rows: EntryRows;

  constructor(rows: EntryRows, row: number) {
    this.rows = rows;
    this.row = row;
  }

  get id(): string {
    return this.rows.idAt(this.row);
  }

  get segment(): SegmentName {
    return this.rows.segment;
  }

  get origin(): GenerationOrigin {
    return this.rows.originAt(this.row);
  }

  get costNanoUsd(): number {
    return this.rows.costAt(this.row);
  }

  /** A new object each time. */
  get content(): ContentReference | null {
    return this.rows.contentAt(this.row);
  }

  set content(place: ContentReference | null) {
    this.rows.setContent(this.row, place);
  }

  replace(version: EntryVersion): void {
    this.rows.replace(this.row, version);
  }

  /** The record. It is parsed anew each time: a walk through all records must not leave all of them in memory. */
  readRecord(): GenerationRecord {
    const { rows, row, costNanoUsd } = this;
    const { principalId, userId, workspaceId } = rows.originAt(row);
    const generation = parseGenerationText(rows.textAt(row), { id: this.id, workspaceId });
    return { generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd };
  }

  /** Values that filters read. Cached after the first read; the record, twenty times as large, is not. */
  readFacts(): GenerationFacts {
    return this.rows.factsAt(this.row, () => toGenerationFacts(this.readRecord()));
  }
}
