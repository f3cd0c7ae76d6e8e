import type {
  BuiltinFilter,
  GenerationContent as GenerationContentBody,
  GenerationHistogram,
  GenerationList as GenerationListBody,
  GenerationRow,
  KeyBody,
  ProviderList,
} from '@model-gateway/core/wire';

/** A page of a list. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly total_count: number;
}

/** Rows are whole unless the query names `fields`. */
export interface GenerationList<Row = GenerationRow> extends Omit<GenerationListBody, 'data'> {
  readonly data: readonly Row[];
}

type Input = GenerationContentBody['input'];

/** The prompt and the completion of a call, with both members of `input`, of which one is there. */
export interface GenerationContent extends Omit<GenerationContentBody, 'input'> {
  readonly input: Partial<Extract<Input, { messages: unknown }> & Extract<Input, { prompt: unknown }>>;
}

/** Each value with how many calls it would leave under all other filters, the commonest first. */
export type GenerationFacets = NonNullable<GenerationHistogram['facets']>;
export type FacetValue = GenerationFacets['model'][number];

export type Key = KeyBody;
export type ResetInterval = NonNullable<KeyBody['limit_reset']>;
export type FilterAction = BuiltinFilter['action'];
export type Provider = ProviderList['data'][number];
