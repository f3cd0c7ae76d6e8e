import type { GenerationSort, SortValue } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toFactText } from '../fact-text.ts';

/** What a list is sorted by; `g` is the table. */
export interface SortColumn {
  readonly column: RawBuilder<unknown>;
  /** Whether it is known; undefined where it always is. */
  readonly isKnown: RawBuilder<unknown> | undefined;
  /** So few values that many generations have the same. */
  readonly hasFewValues: boolean;
  /** A value as a parameter; undefined for what the column cannot hold. */
  toParameter(value: SortValue): RawBuilder<unknown> | undefined;
}

const whole = (value: SortValue): RawBuilder<unknown> | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? sql`${value}::bigint` : undefined;
const decimal = (value: SortValue): RawBuilder<unknown> | undefined =>
  typeof value === 'number' ? sql`${value}::double precision` : undefined;
const text = (value: SortValue): RawBuilder<unknown> | undefined =>
  typeof value === 'string' ? sql`${toFactText(value)}::text` : undefined;

const toColumn = (
  column: string,
  toParameter: SortColumn['toParameter'],
  { isKnown, hasFewValues = false }: { readonly isKnown?: string; readonly hasFewValues?: boolean } = {},
): SortColumn => ({
  column: sql.raw(column),
  toParameter,
  isKnown: isKnown === undefined ? undefined : sql.raw(isKnown),
  hasFewValues,
});

const toOptional = (column: string, toParameter: SortColumn['toParameter'], hasFewValues = false): SortColumn =>
  toColumn(column, toParameter, { isKnown: `${column} is not null`, hasFewValues });

const FEW = { hasFewValues: true };

export const SORT_COLUMNS: Readonly<Record<GenerationSort, SortColumn>> = {
  time: toColumn('g.created_at_ms', whole),
  cost: toColumn('g.cost_nano', whole, { isKnown: 'g.is_cost_known' }),
  duration: toOptional('g.duration_ms', decimal),
  latency: toOptional('g.first_token_ms', decimal),
  tokens_in: toOptional('g.prompt_tokens', whole),
  tokens_out: toOptional('g.completion_tokens', whole),
  speed: toOptional('g.tokens_per_second', decimal),
  attempts: toColumn('g.attempts', whole, FEW),
  model: toColumn('g.model', text, FEW),
  provider: toOptional('g.provider_name', text, true),
  status: toColumn('g.status', text, FEW),
};
