import type { GenerationFacts, GenerationFilter } from './generation-queries.ts';
import { createActivityBook, createFacetCount, createHistogram } from './kit/aggregates.ts';
import { fromPacked, fromStoredForm, isLongJson, toPackedJson, toStoredForm } from './kit/content-form.ts';
import { isInReach, matchesFilter, toAttemptFacts, toGenerationFacts } from './kit/filters.ts';
import { createMemoryAudit } from './kit/memory-audit.ts';
import { createMemoryBlocks } from './kit/memory-blocks.ts';
import { toPreview } from './kit/records.ts';
import {
  createDeliveryBook,
  createRowRepository,
  createTableRepositories,
  type TableSource,
} from './kit/repositories.ts';
import { createFirstGenerations, createSessionBook } from './kit/sessions.ts';
import { createCarriedSpending, createSpendingBook, toSpending } from './kit/spending.ts';
import { createTextRing, type RingText } from './kit/text-ring.ts';
import { EMPTY_TABLES } from './rows.ts';
import type {
  GenerationPage,
  GenerationRecord,
  GenerationRepository,
  ScannedGeneration,
  Store,
  StoredContent,
} from './store.ts';

export interface MemoryStoreOptions {
  /** Limit of stored generations; the oldest are removed first, but their cost stays counted. Default: 10,000. */
  readonly maxGenerations?: number | undefined;
}

const DEFAULT_MAX_GENERATIONS = 10_000;

/** Creates a store in the memory of the process: for tests, demos and hosts that have their own records. */
export function createMemoryStore({ maxGenerations = DEFAULT_MAX_GENERATIONS }: MemoryStoreOptions = {}): Store {
  return {
    ...createTableRepositories(createTableSource()),
    videoJobs: createRowRepository({ write: () => RESOLVED }),
    broadcasts: createRowRepository({ write: () => RESOLVED }),
    guardrailHits: createRowRepository({ write: () => RESOLVED }),
    prompts: createRowRepository({ write: () => RESOLVED }),
    presets: createRowRepository({ write: () => RESOLVED }),
    reruns: createRowRepository({ write: () => RESOLVED }),
    files: createRowRepository({ write: () => RESOLVED }),
    batches: createRowRepository({ write: () => RESOLVED }),
    deliveries: createDeliveryBook(maxGenerations),
    audit: createMemoryAudit(),
    generations: createGenerationRepository(maxGenerations),
    engine: { type: 'memory', address: null },
    close: () => Promise.resolve(),
  };
}

function createTableSource(): TableSource {
  let tables = EMPTY_TABLES;
  return {
    read: () => tables,
    async change(change) {
      tables = change(tables);
    },
  };
}

interface KeptGeneration {
  readonly id: string;
  readonly createdAtMs: number;
  /** As JSON. As objects a call would take several times the memory: a streamed text is a chain of all its pieces. */
  record: RingText;
  content: KeptContent | null;
  /** Increases with every append; determines the position in `order`. */
  readonly sequence: number;
}

interface KeptContent {
  readonly text: RingText;
  readonly isPacked: boolean;
}

/** In the order of their sequences, without those that were dropped. */
type Order = readonly (KeptGeneration | undefined)[];

interface GenerationSource {
  readonly id: string;
  readonly record: GenerationRecord;
}

function createGenerationRepository(maxGenerations: number): GenerationRepository {
  const byId = new Map<string, KeptGeneration>();
  const texts = createTextRing();
  const blocks = createMemoryBlocks();
  const spending = createSpendingBook();
  const carried = createCarriedSpending(spending);
  /** Oldest first, beginning at `dropped`: cutting the front off at every append would cost its length each time. */
  let order: (KeptGeneration | undefined)[] = [];
  let dropped = 0;
  let nextSequence = 0;
  let completeFromMs: number | undefined;

  const keepContent = (content: StoredContent): KeptContent => {
    const form = toStoredForm(content);
    const json = JSON.stringify(form);
    const isPacked = isLongJson(json.length);
    const packed = isPacked ? toPackedJson(form, blocks.put) : json;
    if (isPacked) blocks.hold(packed);
    return { text: texts.keep(packed), isPacked };
  };
  const letGoContent = ({ text, isPacked }: KeptContent): void => {
    if (isPacked) blocks.letGo(texts.read(text));
    texts.letGo(text);
  };
  const dropOldest = (): void => {
    const oldest = order[dropped];
    if (oldest !== undefined) {
      byId.delete(oldest.id);
      completeFromMs = Math.max(completeFromMs ?? 0, oldest.createdAtMs + 1);
      texts.letGo(oldest.record);
      if (oldest.content !== null) letGoContent(oldest.content);
    }
    // The place would hold it until the front is cut off.
    order[dropped] = undefined;
    dropped += 1;
    if (dropped * 2 > order.length) {
      order = order.slice(dropped);
      dropped = 0;
    }
  };

  const readRecord = ({ record }: KeptGeneration): GenerationRecord =>
    JSON.parse(texts.read(record)) as GenerationRecord;
  const readContent = (id: string): StoredContent | undefined => {
    const kept = byId.get(id)?.content ?? null;
    if (kept === null) return undefined;
    const form: unknown = JSON.parse(texts.read(kept.text));
    return fromStoredForm(kept.isPacked ? fromPacked(form, blocks.read) : form);
  };
  const records = function* (): Generator<GenerationRecord> {
    for (const entry of byId.values()) yield readRecord(entry);
  };

  return {
    append(record, content) {
      const { id } = record.generation;
      if (byId.has(id)) return Promise.reject(new Error(`A generation with the id ${id} exists already`));
      let entry: KeptGeneration;
      try {
        const text = JSON.stringify(record);
        entry = {
          id,
          createdAtMs: Date.parse(record.generation.created_at),
          record: texts.keep(text),
          content: content === null ? null : keepContent(content),
          sequence: nextSequence,
        };
      } catch (error) {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
      nextSequence += 1;
      byId.set(id, entry);
      order.push(entry);
      spending.add(toSpending(record));
      if (byId.size > maxGenerations) dropOldest();
      return RESOLVED;
    },
    async update(record) {
      const entry = byId.get(record.generation.id);
      if (entry === undefined) return false;
      spending.subtract(toSpending(readRecord(entry)));
      texts.letGo(entry.record);
      entry.record = texts.keep(JSON.stringify(record));
      spending.add(toSpending(record));
      return true;
    },
    get(id) {
      const entry = byId.get(id);
      return entry && readRecord(entry);
    },
    getContent: readContent,
    getPreview(id) {
      const content = readContent(id);
      return content && (toPreview(content) ?? undefined);
    },
    async deleteContent(id) {
      const entry = byId.get(id);
      if (entry === undefined || entry.content === null) return false;
      letGoContent(entry.content);
      entry.content = null;
      return true;
    },
    page(query) {
      const first = nextSequence - order.length;
      const before = query.before === undefined ? nextSequence : (byId.get(query.before)?.sequence ?? first + dropped);
      const span = { start: dropped, end: before - first, limit: query.limit, filter: query.filter };
      return pageOf({ order, readRecord }, span);
    },
    sorted(query) {
      const first = createFirstGenerations<GenerationSource>(query);
      for (const record of records()) {
        const { id } = record.generation;
        const facts = toGenerationFacts(record);
        if (query.filter === undefined || matchesFilter(facts, query.filter, () => record))
          first.add(facts, { id, record });
      }
      return first.read(({ record }) => record);
    },
    sessions(query) {
      const book = createSessionBook<GenerationSource>(query);
      for (const record of records())
        book.add(toGenerationFacts(record), { id: record.generation.id, record }, () => record);
      return book.read();
    },
    histogram(query) {
      const histogram = createHistogram(query);
      for (const record of records()) histogram.add(toGenerationFacts(record), () => record);
      return histogram.read(() => RESOLVED);
    },
    async scan({ fromMs, toMs, reach }, look) {
      for (const record of records()) {
        const facts = toGenerationFacts(record);
        const isWithin = facts.createdAtMs >= fromMs && facts.createdAtMs < toMs;
        if (isWithin && (reach === undefined || isInReach(facts, reach, () => record))) look(toScanned(record, facts));
      }
    },
    facets(filter) {
      const count = createFacetCount(filter);
      for (const record of records()) count.add(toGenerationFacts(record), () => record);
      return count.read();
    },
    activity({ since, principalIds }) {
      const book = createActivityBook();
      for (const record of records()) {
        const isAskedFor = record.generation.created_at.slice(0, 10) >= since;
        if (isAskedFor && principalIds?.has(record.principalId) !== false) book.add(record);
      }
      return book.sums();
    },
    completeFromMs: () => completeFromMs,
    count: () => byId.size,
    spentNanoUsd: spending.totalNanoUsd,
    spent: spending.spent,
    listSpending: carried.list,
    async carrySpending(source, sums) {
      carried.put(source, [...sums]);
    },
  };
}

const toScanned = (record: GenerationRecord, facts: GenerationFacts): ScannedGeneration => ({
  readFacts: () => facts,
  readAttempts: () => toAttemptFacts(record.generation),
  readRecord: () => record,
});

// One promise for all: appending is on the path of every request.
const RESOLVED = Promise.resolve();

interface Span {
  readonly start: number;
  readonly end: number;
  readonly limit: number;
  readonly filter: GenerationFilter | undefined;
}

/** Number of records that a filter checks for one page. */
const MAX_LOOKED_AT = 2000;
/** Records are in the order in which calls ended; no call lasts longer than this. */
const SLACK_MS = 24 * 60 * 60 * 1000;

interface Pages {
  readonly order: Order;
  readonly readRecord: (entry: KeptGeneration) => GenerationRecord;
}

function pageOf(pages: Pages, span: Span): GenerationPage {
  return span.filter === undefined ? wholePageOf(pages, span) : filteredPageOf(pages, span, span.filter);
}

function wholePageOf({ order, readRecord }: Pages, { start, end, limit }: Span): GenerationPage {
  const from = Math.max(start, end - Math.max(0, limit));
  const records = order
    .slice(from, end)
    .reverse()
    .flatMap((entry) => (entry === undefined ? [] : [readRecord(entry)]));
  const oldest = order[from];
  const hasOlder = from > start && from < end && oldest !== undefined;
  return { records, next: hasOlder ? oldest.id : null };
}

function filteredPageOf(
  { order, readRecord }: Pages,
  { start, end, limit }: Span,
  filter: GenerationFilter,
): GenerationPage {
  const records: GenerationRecord[] = [];
  const last = Math.max(start, end - MAX_LOOKED_AT);
  for (let at = end - 1; at >= last; at -= 1) {
    const entry = order[at];
    if (entry === undefined) continue;
    const record = readRecord(entry);
    const facts = toGenerationFacts(record);
    if (facts.createdAtMs < (filter.createdFromMs ?? 0) - SLACK_MS) return { records, next: null };
    if (matchesFilter(facts, filter, () => record)) records.push(record);
    const isLooked = records.length >= limit || at === last;
    if (isLooked) return { records, next: at > start ? entry.id : null };
  }
  return { records, next: null };
}
