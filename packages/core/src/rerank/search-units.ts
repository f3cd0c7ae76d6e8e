import { mostTokensOf } from '../calls/call-kind.ts';
import { type ChargedCall, type Cost, costOf, costOfCharges, type Prices } from '../catalog/prices.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { RerankRequest } from '../wire/rerank.ts';

/**
 * Cohere's unit of what a ranking costs: one query with up to this many documents. A document that is longer than
 * `TOKENS_A_DOCUMENT` together with the query is split, and each of its parts counts as one.
 */
const DOCUMENTS_A_UNIT = 100;
const TOKENS_A_DOCUMENT = 500;
/** What a document is cut to before it is split, where the request does not say otherwise; ours never do. */
const MOST_TOKENS_A_DOCUMENT = 4096;

/** The units of a call whose provider does not report them. */
export function estimateSearchUnits({ documents }: RerankRequest): number {
  return Math.ceil(documents.length / DOCUMENTS_A_UNIT);
}

/** Bounds the units of a call from above. */
export function mostSearchUnitsOf({ query, documents }: RerankRequest): number {
  const room = Math.max(TOKENS_A_DOCUMENT - mostTokensOf(query), 1);
  const parts = documents.reduce((sum, document) => {
    const text = typeof document === 'string' ? document : (document.text ?? '');
    return sum + Math.max(1, Math.ceil(Math.min(mostTokensOf(text), MOST_TOKENS_A_DOCUMENT) / room));
  }, 0);
  return Math.ceil(parts / DOCUMENTS_A_UNIT);
}

/** What a ranking is charged by, beside its usage. */
interface SearchCall extends ChargedCall {
  /** Units that searches are charged by. */
  readonly searches: number;
}

/**
 * The exact cost of a ranking: its searches, where they have a price, and what `costOf` charges. Tokens without a price
 * are not charged where something else is; null where nothing has a price.
 */
export function costOfSearches(prices: Prices, usage: Usage, { searches, ...call }: SearchCall): Cost | null {
  const { search_unit: price, request } = prices;
  const isCharged = price !== undefined || request !== undefined;
  const cost = costOf(isCharged ? { ...prices, prompt: prices.prompt ?? 0n } : prices, usage, call);
  if (cost === null || price === undefined) return cost;
  const charged = cost.charges.filter(({ unit }) => unit !== 'prompt' || prices.prompt !== undefined);
  return costOfCharges([...charged, { unit: 'search_unit', count: searches, price }], []);
}
