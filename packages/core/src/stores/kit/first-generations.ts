import type { GenerationSort } from '../../wire/generation-list.ts';
import type { GenerationFacts, SortValue, SortedPlace, SortedQuery } from '../generation-queries.ts';
import type { GenerationRecord, SortedPage } from '../store.ts';

/** The generations of one page in the order of a query, chosen among all that are added, in whatever order. */
export interface FirstGenerations<Source> {
  add(facts: GenerationFacts, source: Source): void;
  /** The page, once all are added. */
  read(toRecord: (source: Source) => GenerationRecord): SortedPage;
}

interface Candidate<Source> {
  readonly value: SortValue;
  readonly createdAtMs: number;
  readonly source: Source;
}

/**
 * Creates the choice. It keeps no more than a page and one, so that a page costs one look at each generation, however
 * many there are. The id of a source is read only where everything else is equal.
 */
export function createFirstGenerations<Source extends { readonly id: string }>({
  limit,
  sort,
  order,
  after,
}: Omit<SortedQuery, 'filter'>): FirstGenerations<Source> {
  const sign = order === 'asc' ? 1 : -1;
  const first: Candidate<Source>[] = [];
  const comesBefore = (left: Candidate<Source>, right: Candidate<Source>): boolean => compare(left, right, sign) < 0;
  const isAfter = (candidate: Candidate<Source>, place: SortedPlace): boolean =>
    compare(candidate, { ...place, source: place }, sign) > 0;

  return {
    add(facts, source) {
      const candidate = { value: sortValueOf(facts, sort), createdAtMs: facts.createdAtMs, source };
      const last = first[limit];
      if (last !== undefined && !comesBefore(candidate, last)) return;
      if (after !== undefined && !isAfter(candidate, after)) return;
      let low = 0;
      let high = first.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (comesBefore(candidate, first[middle] as Candidate<Source>)) high = middle;
        else low = middle + 1;
      }
      first.splice(low, 0, candidate);
      if (first.length > limit + 1) first.pop();
    },
    read(toRecord) {
      const page = first.slice(0, limit);
      const last = page.at(-1);
      const isMore = first.length > limit && last !== undefined;
      return {
        records: page.map(({ source }) => toRecord(source)),
        next: isMore ? { value: last.value, createdAtMs: last.createdAtMs, id: last.source.id } : null,
      };
    },
  };
}

type Comparable = Pick<Candidate<{ readonly id: string }>, 'value' | 'createdAtMs' | 'source'>;

/** By the value, unknown ones last in either order; among equals the newest first. */
function compare(left: Comparable, right: Comparable, sign: 1 | -1): number {
  if (left.value !== right.value) {
    if (left.value === null) return 1;
    if (right.value === null) return -1;
    return left.value < right.value ? -sign : sign;
  }
  if (left.createdAtMs !== right.createdAtMs) return right.createdAtMs - left.createdAtMs;
  const [leftId, rightId] = [left.source.id, right.source.id];
  return leftId === rightId ? 0 : leftId > rightId ? -1 : 1;
}

/** What a generation is sorted by; null where it is not known, or there is no such thing. */
function sortValueOf(facts: GenerationFacts, sort: GenerationSort): SortValue {
  switch (sort) {
    case 'time':
      return facts.createdAtMs;
    case 'cost':
      return facts.isCostKnown ? facts.costNanoUsd : null;
    case 'duration':
      return facts.durationMs;
    case 'latency':
      return facts.firstTokenMs;
    case 'tokens_in':
      return facts.promptTokens;
    case 'tokens_out':
      return facts.completionTokens;
    case 'speed':
      return facts.tokensPerSecond;
    case 'attempts':
      return facts.attempts;
    case 'model':
      return facts.model;
    case 'provider':
      return facts.providerName;
    case 'status':
      return facts.status;
  }
}
