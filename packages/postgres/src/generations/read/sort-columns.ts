import type { GenerationSort, SortValue } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toFactText } from '../fact-text.ts';

/** What a list is sorted by; `g` is the table. */
export interface SortColumn {
  readonly column: RawBuilder<unknown>;
  readonly isNullable: boolean;
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
  more: Partial<Pick<SortColumn, 'isNullable' | 'hasFewValues'>> = {},
): SortColumn => ({ column: sql.raw(column), toParameter, isNullable: true, hasFewValues: false, ...more });

const FEW = { isNullable: false, hasFewValues: true };

export const SORT_COLUMNS: Readonly<Record<GenerationSort, SortColumn>> = {
  time: toColumn('g.created_at_ms', whole, { isNullable: false }),
  cost: toColumn('(case when g.is_cost_known then g.cost_nano end)', whole),
  duration: toColumn('g.duration_ms', decimal),
  latency: toColumn('g.first_token_ms', decimal),
  tokens_in: toColumn('g.prompt_tokens', whole),
  tokens_out: toColumn('g.completion_tokens', whole),
  speed: toColumn('g.tokens_per_second', decimal),
  attempts: toColumn('g.attempts', whole, FEW),
  model: toColumn('g.model', text, FEW),
  provider: toColumn('g.provider_name', text, { hasFewValues: true }),
  status: toColumn('g.status', text, FEW),
};
