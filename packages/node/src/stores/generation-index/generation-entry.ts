import {
  type AttemptFacts,
  type GenerationFacts,
  type GenerationRecord,
  toAttemptFacts,
  toGenerationFacts,
} from '@model-gateway/core';

import type { ContentReference } from '../generations/generation-lines.ts';
import { parseFactSource, parseGenerationText } from '../generations/generation-text.ts';
import type { SegmentName } from '../log/segment-name.ts';

/** Values that many generations share; they are stored once. */
export interface GenerationOrigin {
  readonly principalId: string;
  readonly userId: string | undefined;
  readonly workspaceId: string | undefined;
  /** The day on which the generation began. */
  readonly day: string;
  readonly isByok: boolean;
}

/** Values that a later version of a generation may change. */
export interface EntryVersion extends GenerationOrigin {
  readonly costNanoUsd: number;
  /** The generation as `toGenerationText` writes it, or the bytes of that. */
  readonly text: string | Uint8Array;
}

/** A generation that is added to the index. */
export interface NewEntry {
  readonly id: string;
  /** The segment of its first version; the generation is removed with that segment. */
  readonly segment: SegmentName;
  readonly version: EntryVersion;
  readonly content: ContentReference | null;
}

/** What is kept of a generation that was read. */
export interface FoundFacts {
  readonly facts: GenerationFacts;
  readonly attempts: readonly AttemptFacts[];
}

/** The access to the rows of a segment by their number. */
interface EntryRows {
  readonly segment: SegmentName;
  idAt(row: number): string;
  textAt(row: number): string;
  originAt(row: number): GenerationOrigin;
  costAt(row: number): number;
  contentAt(row: number): ContentReference | null;
  setContent(row: number, place: ContentReference | null): void;
  replace(row: number, version: EntryVersion): void;
  /** `find` is called when those of the row are not kept yet. */
  factsAt(row: number, find: () => FoundFacts): GenerationFacts;
  attemptsAt(row: number, find: () => FoundFacts): readonly AttemptFacts[];
  /** Whether they are kept. */
  hasFacts(row: number): boolean;
}

/**
 * One generation in memory: a view of its row, created on request. It shows later changes of the row, and stays
 * readable when its segment is dropped.
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

  /** The record, parsed at every call: reading all records must not keep all of them in memory. */
  readRecord(): GenerationRecord {
    const { rows, row, costNanoUsd } = this;
    const { principalId, userId, workspaceId } = rows.originAt(row);
    const generation = parseGenerationText(rows.textAt(row), { id: this.id, workspaceId });
    return { generation, principalId, ...(userId !== undefined && { userId }), costNanoUsd };
  }

  /** The record as `toGenerationText` has written it. */
  readText(): string {
    return this.rows.textAt(this.row);
  }

  get hasFacts(): boolean {
    return this.rows.hasFacts(this.row);
  }

  /** Values that filters read. Kept after the first read; the record, ten times as large, is not. */
  readFacts(): GenerationFacts {
    return this.rows.factsAt(this.row, () => this.findFacts());
  }

  /** Kept likewise. */
  readAttempts(): readonly AttemptFacts[] {
    return this.rows.attemptsAt(this.row, () => this.findFacts());
  }

  private findFacts(): FoundFacts {
    const { rows, row, costNanoUsd } = this;
    const { principalId, userId } = rows.originAt(row);
    const generation = parseFactSource(rows.textAt(row));
    const rest = { principalId, ...(userId !== undefined && { userId }), costNanoUsd };
    return { facts: toGenerationFacts({ generation, ...rest }), attempts: toAttemptFacts(generation) };
  }
}
