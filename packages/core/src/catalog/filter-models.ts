import { z } from 'zod';

import { CALL_KIND_NAMES, CALL_KINDS } from '../wire/call-kinds.ts';
import { type DataRegionOf, decimalNumber, toDataRegion, wholeNumber } from '../wire/fields.ts';
import type { Model } from '../wire/models.ts';
import type { CatalogModel, ProviderNames } from './catalog.ts';
import { toModelRecord } from './to-model-record.ts';

const SECONDS_A_DAY = 24 * 60 * 60;

const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const CATEGORIES = [
  'programming',
  'roleplay',
  'marketing',
  'marketing/seo',
  'technology',
  'science',
  'translation',
  'legal',
  'finance',
  'health',
  'trivia',
  'academia',
] as const;

/** Those of the public wire. */
const KNOWN_OUTPUTS = [
  'text',
  'image',
  'embeddings',
  'audio',
  'video',
  'rerank',
  'decisions',
  'speech',
  'transcription',
];
const OUTPUTS: readonly string[] = [
  ...new Set([...KNOWN_OUTPUTS, ...CALL_KIND_NAMES.map((name) => CALL_KINDS[name].output)]),
  'all',
];

const SORTS = [
  'most-popular',
  'newest',
  'top-weekly',
  'pricing-low-to-high',
  'pricing-high-to-low',
  'context-high-to-low',
  'throughput-high-to-low',
  'latency-low-to-high',
  'intelligence-high-to-low',
  'coding-high-to-low',
  'agentic-high-to-low',
  'design-arena-elo-high-to-low',
] as const;
type Sort = (typeof SORTS)[number];

/**
 * The query of `GET /models` (wire.md 14.1). Filters and orders by data that the gateway does not collect are accepted
 * without effect.
 */
export const modelListQuerySchema = z.object({
  offset: wholeNumber(0).optional(),
  limit: wholeNumber(1, 1000).optional(),
  q: z.string().optional(),
  input_modalities: commaList.optional(),
  output_modalities: commaList
    .refine(
      (list) => list.length > 0 && list.every((kind) => OUTPUTS.includes(kind)),
      `must be one of ${OUTPUTS.join(', ')}`,
    )
    .optional(),
  supported_parameters: commaList.optional(),
  context: wholeNumber(0).optional(),
  min_price: decimalNumber(0).optional(),
  max_price: decimalNumber(0).optional(),
  min_output_price: decimalNumber(0).optional(),
  max_output_price: decimalNumber(0).optional(),
  arch: z.string().optional(),
  model_authors: commaList.optional(),
  providers: commaList.optional(),
  zdr: z.enum(['true', 'false']).optional(),
  distillable: z.enum(['true', 'false']).optional(),
  region: z.string().optional(),
  min_age_days: wholeNumber(0).optional(),
  max_age_days: wholeNumber(0).optional(),
  category: z.enum(CATEGORIES).optional(),
  min_intelligence_index: decimalNumber(0).optional(),
  max_intelligence_index: decimalNumber(0).optional(),
  min_coding_index: decimalNumber(0).optional(),
  max_coding_index: decimalNumber(0).optional(),
  min_agentic_index: decimalNumber(0).optional(),
  max_agentic_index: decimalNumber(0).optional(),
  min_tool_success_rate: decimalNumber(0).optional(),
  max_tool_success_rate: decimalNumber(0).optional(),
  sort: z.enum(SORTS).optional(),
});
export type ModelListQuery = z.infer<typeof modelListQuerySchema>;

type Test = (model: CatalogModel, record: Model) => boolean;

export interface FilterContext {
  /** Unix milliseconds. */
  readonly now: number;
  readonly toTags: ProviderNames['toTags'];
  readonly dataRegionOf: DataRegionOf;
}

/** Returns the models that pass every filter of the query, in the requested order. The caller does the paging. */
export function filterModels(models: readonly CatalogModel[], query: ModelListQuery, context: FilterContext): Model[] {
  const tests = toTests(query, context);
  const found = models
    .map((model) => ({ model, record: toModelRecord(model) }))
    .filter(({ model, record }) => tests.every((test) => test(model, record)))
    .map(({ record }) => record);
  return sortModels(found, query.sort);
}

function toTests(query: ModelListQuery, { now, toTags, dataRegionOf }: FilterContext): Test[] {
  const tests: Test[] = [];
  const outputs = query.output_modalities ?? ['text'];
  if (!outputs.includes('all'))
    tests.push((_, { architecture }) => outputs.some((kind) => architecture.output_modalities.includes(kind)));
  const inputs = query.input_modalities;
  if (inputs && !inputs.includes('all'))
    tests.push((_, { architecture }) => inputs.every((kind) => architecture.input_modalities.includes(kind)));
  const { supported_parameters: parameters, q, context, arch, model_authors: authors, providers, region } = query;
  if (parameters) tests.push((_, record) => parameters.every((name) => record.supported_parameters.includes(name)));
  if (q) tests.push((_, { id, name }) => `${id}\n${name}`.toLowerCase().includes(q.toLowerCase()));
  if (context !== undefined) tests.push((_, record) => (record.context_length ?? 0) >= context);
  if (arch) tests.push((_, { architecture }) => architecture.tokenizer.toLowerCase() === arch.toLowerCase());
  if (authors) tests.push(({ id }) => authors.includes(id.slice(0, id.indexOf('/'))));
  if (providers) tests.push(providerTest(toTags(providers)));
  if (region) tests.push(regionTest(region, dataRegionOf));
  if (query.zdr === 'true')
    tests.push(({ endpoints }) => endpoints.some(({ provider }) => provider.dataPolicy.retainsPrompts === false));
  const { distillable } = query;
  // What is not known is not permitted.
  if (distillable) tests.push(({ definition }) => (definition.distillable === true) === (distillable === 'true'));
  tests.push(
    ageTest(now, query.min_age_days, query.max_age_days),
    priceTest('prompt', query.min_price, query.max_price),
    priceTest('completion', query.min_output_price, query.max_output_price),
    ...SCORES.map((score) => scoreTest(score, query[`min_${score}`], query[`max_${score}`])),
  );
  return tests;
}

const SCORES = ['intelligence_index', 'coding_index', 'agentic_index', 'tool_success_rate'] as const;

/** A model without this score in its definition is within no bounds. */
function scoreTest(score: (typeof SCORES)[number], min: number | undefined, max: number | undefined): Test {
  if (min === undefined && max === undefined) return () => true;
  return ({ definition: { benchmarks } }) => {
    const value = benchmarks?.[score] ?? Number.NaN;
    return value >= (min ?? 0) && value <= (max ?? Number.POSITIVE_INFINITY);
  };
}

function providerTest(tags: readonly string[]): Test {
  return ({ endpoints }) => endpoints.some(({ provider, tag }) => tags.includes(provider.slug) || tags.includes(tag));
}

/** By the region's own name, and `eu`, `europe` and `us` by the data region of an endpoint's region as well. */
function regionTest(name: string, dataRegionOf: DataRegionOf): Test {
  const word = /^(eu|europe|us)$/i.test(name) ? toDataRegion(name) : null;
  const isWithin = (region: string): boolean => region === name || (word !== null && dataRegionOf(region) === word);
  return ({ endpoints }) => endpoints.some(({ region }) => region !== null && isWithin(region));
}

/** A model whose age is not known is within no bounds. */
function ageTest(now: number, minDays: number | undefined, maxDays: number | undefined): Test {
  if (minDays === undefined && maxDays === undefined) return () => true;
  return ({ definition: { created } }) => {
    const days = (now / 1000 - (created ?? Number.NaN)) / SECONDS_A_DAY;
    return days >= (minDays ?? 0) && days <= (maxDays ?? Number.POSITIVE_INFINITY);
  };
}

/** Bounds are USD a million tokens, prices USD a token. A price that is not known is within no bounds. */
function priceTest(unit: 'prompt' | 'completion', min: number | undefined, max: number | undefined): Test {
  if (min === undefined && max === undefined) return () => true;
  return (_, { pricing }) => {
    const price = Number(pricing[unit]) * 1e6;
    return price >= (min ?? 0) && price <= (max ?? Number.POSITIVE_INFINITY);
  };
}

const scoresOf = ({ benchmarks }: Model) => benchmarks?.artificial_analysis;

const SORT_KEYS: ReadonlyMap<Sort, (record: Model) => number | null> = new Map([
  ['newest', (record) => -record.created],
  ['pricing-low-to-high', ({ pricing }) => averagePrice(pricing)],
  ['pricing-high-to-low', ({ pricing }) => negative(averagePrice(pricing))],
  ['context-high-to-low', (record) => negative(record.context_length)],
  ['intelligence-high-to-low', (record) => negative(scoresOf(record)?.intelligence_index ?? null)],
  ['coding-high-to-low', (record) => negative(scoresOf(record)?.coding_index ?? null)],
  ['agentic-high-to-low', (record) => negative(scoresOf(record)?.agentic_index ?? null)],
]);

/** Models without the value come last; an order by data that is not collected leaves the list unchanged. */
function sortModels(records: Model[], sort: Sort | undefined): Model[] {
  const keyOf = sort && SORT_KEYS.get(sort);
  if (keyOf === undefined) return records;
  const rank = (record: Model): number => keyOf(record) ?? Number.POSITIVE_INFINITY;
  return records.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** Of prompt and completion, as on the public service; null unless both are known. */
function averagePrice({ prompt, completion }: Model['pricing']): number | null {
  return Number(prompt) < 0 || Number(completion) < 0 ? null : (Number(prompt) + Number(completion)) / 2;
}

const negative = (value: number | null): number | null => (value === null ? null : -value);
