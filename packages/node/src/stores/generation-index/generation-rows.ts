import type { AttemptFacts, GenerationFacts } from '@model-gateway/core';

import type { ContentReference } from '../generations/generation-lines.ts';
import type { SegmentName } from '../log/segment-name.ts';
import { createFactColumns } from './fact-columns.ts';
import {
  GenerationEntry,
  type EntryVersion,
  type FoundFacts,
  type GenerationOrigin,
  type NewEntry,
} from './generation-entry.ts';
import { createIdTable, type IdTable } from './id-table.ts';
import { createTextArena, type TextPlace } from './text-arena.ts';

/** The cells of a row. All are numbers; some are indexes of lists that hold each value once. */
const CHUNK = 0;
const ID_START = 1;
const TEXT_START = 2;
const TEXT_END = 3;
const ORIGIN = 4;
const COST = 5;
const CONTENT_FILE = 6;
const CONTENT_OFFSET = 7;
const CONTENT_LENGTH = 8;
const CELLS = 9;

const FIRST_ROWS = 32;
/** The value of `CONTENT_FILE` for a row without content. */
const NO_CONTENT = -1;

/**
 * A segment's generations in writing order: a row of numbers for each, and texts outside of the heap. As objects, which
 * live for days, they would burden the garbage collector (docs/decisions/0022).
 */
export class GenerationRows {
  readonly segment: SegmentName;
  count = 0;
  private cells = new Float64Array(FIRST_ROWS * CELLS);
  private texts = createTextArena();
  /** Bytes of `texts` that no row refers to any more. */
  private formerBytes = 0;
  private readonly origins: GenerationOrigin[] = [];
  /** Indexes of `origins` by principal: one, unless other values of the origin have changed. */
  private readonly originsOf = new Map<string, number[]>();
  private readonly contentFiles: string[] = [];
  private readonly facts = createFactColumns();
  private readonly ids: IdTable = createIdTable((row, id) => this.idAt(row) === id);

  constructor(segment: SegmentName) {
    this.segment = segment;
  }

  find(id: string): GenerationEntry | undefined {
    const row = this.ids.find(id);
    return row === -1 ? undefined : new GenerationEntry(this, row);
  }

  add({ id, version, content }: NewEntry): void {
    const row = this.count;
    if ((row + 1) * CELLS > this.cells.length) {
      const larger = new Float64Array(this.cells.length * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.count += 1;
    this.setVersion(row, id, version);
    this.setContent(row, content);
    this.ids.add(id, row);
  }

  replace(row: number, version: EntryVersion): void {
    this.facts.forget(row);
    this.formerBytes += this.cell(row, TEXT_END) - this.cell(row, ID_START);
    this.setVersion(row, this.idAt(row), version);
    if (this.formerBytes > this.texts.bytes / 2) this.leaveFormerTexts();
  }

  idAt(row: number): string {
    return this.texts.read(this.cell(row, CHUNK), this.cell(row, ID_START), this.cell(row, TEXT_START));
  }

  textAt(row: number): string {
    return this.texts.read(this.cell(row, CHUNK), this.cell(row, TEXT_START), this.cell(row, TEXT_END));
  }

  originAt(row: number): GenerationOrigin {
    return this.origins[this.cell(row, ORIGIN)] as GenerationOrigin;
  }

  costAt(row: number): number {
    return this.cell(row, COST);
  }

  contentAt(row: number): ContentReference | null {
    const file = this.cell(row, CONTENT_FILE);
    if (file === NO_CONTENT) return null;
    const name = this.contentFiles[file] as string;
    return { file: name, offset: this.cell(row, CONTENT_OFFSET), length: this.cell(row, CONTENT_LENGTH) };
  }

  setContent(row: number, place: ContentReference | null): void {
    const { cells } = this;
    const at = row * CELLS;
    cells[at + CONTENT_FILE] = place === null ? NO_CONTENT : this.placeOfFile(place.file);
    cells[at + CONTENT_OFFSET] = place === null ? 0 : place.offset;
    cells[at + CONTENT_LENGTH] = place === null ? 0 : place.length;
  }

  forgetContent(): void {
    for (let row = 0; row < this.count; row += 1) this.setContent(row, null);
  }

  /** Costs of all generations of the same origin. */
  costs(): Iterable<readonly [GenerationOrigin, number]> {
    const sums = this.origins.map(() => 0);
    for (let row = 0; row < this.count; row += 1) {
      const origin = this.cell(row, ORIGIN);
      sums[origin] = (sums[origin] ?? 0) + this.cell(row, COST);
    }
    return this.origins.map((origin, place) => [origin, sums[place] ?? 0] as const);
  }

  /** The facts of a row, found at the first call and kept until the row is replaced. */
  factsAt(row: number, find: () => FoundFacts): GenerationFacts {
    const { principalId, userId = null } = this.originAt(row);
    const known = this.facts.read(row, { principalId, userId, costNanoUsd: this.costAt(row) });
    return known ?? this.keep(row, find()).facts;
  }

  attemptsAt(row: number, find: () => FoundFacts): readonly AttemptFacts[] {
    return this.facts.readAttempts(row) ?? this.keep(row, find()).attempts;
  }

  hasFacts(row: number): boolean {
    return this.facts.has(row);
  }

  *oldestFirst(): Generator<GenerationEntry> {
    for (let row = 0; row < this.count; row += 1) yield new GenerationEntry(this, row);
  }

  /** The rows before `before`, newest first. */
  *newestFirst(before = this.count): Generator<GenerationEntry> {
    for (let row = before - 1; row >= 0; row -= 1) yield new GenerationEntry(this, row);
  }

  private keep(row: number, found: FoundFacts): FoundFacts {
    this.facts.write(row, found, this.count);
    return found;
  }

  private cell(row: number, column: number): number {
    return this.cells[row * CELLS + column] as number;
  }

  private setVersion(row: number, id: string, version: EntryVersion): void {
    this.setPlace(row, this.texts.store(id, version.text));
    const { cells } = this;
    const at = row * CELLS;
    cells[at + ORIGIN] = this.placeOfOrigin(version);
    cells[at + COST] = version.costNanoUsd;
  }

  private setPlace(row: number, { chunk, start, middle, end }: TextPlace): void {
    const { cells } = this;
    const at = row * CELLS;
    cells[at + CHUNK] = chunk;
    cells[at + ID_START] = start;
    cells[at + TEXT_START] = middle;
    cells[at + TEXT_END] = end;
  }

  /** Copies the texts that rows refer to into a new arena, so that former versions are released with the old one. */
  private leaveFormerTexts(): void {
    const old = this.texts;
    this.texts = createTextArena();
    this.formerBytes = 0;
    for (let row = 0; row < this.count; row += 1) {
      const chunk = this.cell(row, CHUNK);
      const id = old.read(chunk, this.cell(row, ID_START), this.cell(row, TEXT_START));
      this.setPlace(
        row,
        this.texts.store(id, old.bytesOf(chunk, this.cell(row, TEXT_START), this.cell(row, TEXT_END))),
      );
    }
  }

  private placeOfOrigin({ principalId, userId, workspaceId, day, isByok }: GenerationOrigin): number {
    const known = this.originsOf.get(principalId) ?? [];
    for (const place of known) {
      const origin = this.origins[place] as GenerationOrigin;
      const isSame = origin.userId === userId && origin.workspaceId === workspaceId;
      if (isSame && origin.day === day && origin.isByok === isByok) return place;
    }
    const place = this.origins.push({ principalId, userId, workspaceId, day, isByok }) - 1;
    this.originsOf.set(principalId, [...known, place]);
    return place;
  }

  private placeOfFile(file: string): number {
    const known = this.contentFiles.lastIndexOf(file);
    return known === -1 ? this.contentFiles.push(file) - 1 : known;
  }
}
