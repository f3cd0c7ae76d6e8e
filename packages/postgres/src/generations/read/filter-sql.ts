import type { GenerationCondition, GenerationFilter } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toColumnId } from '../../connection/column-text.ts';
import { toFactText } from '../fact-text.ts';
import { toConditionSql } from './condition-sql.ts';

/** A filter as SQL; `g` is the table. */
export interface FilterSql {
  /** For `where`. It says nothing about time. */
  readonly matches: RawBuilder<unknown>;
  /** What has to be checked with each record that is left; empty where SQL says everything. */
  readonly remaining: readonly GenerationCondition[];
}

/** Turns all of a filter but its span of time into SQL. */
export function toFilterSql(filter: GenerationFilter = {}, { isNullEmpty = false } = {}): FilterSql {
  const isOneOf = (name: string, values: ReadonlySet<string>): RawBuilder<unknown> =>
    isNullEmpty ? isAnyOf(name, values) : isOneOrNull(name, values);
  const parts: RawBuilder<unknown>[] = [];
  const remaining: GenerationCondition[] = [];
  const { models, providerNames, principalIds, userIds, apps, statuses, sessionId } = filter;
  if (models !== undefined) parts.push(isOneOf('model', models));
  if (providerNames !== undefined) parts.push(isOneOf('provider_name', providerNames));
  if (principalIds !== undefined) parts.push(isOneOf('principal_id', principalIds));
  if (userIds !== undefined) parts.push(isOneOf('user_id', userIds));
  if (apps !== undefined) parts.push(isOneOf('app', apps));
  if (statuses !== undefined) parts.push(isOneOf('status', statuses));
  if (sessionId !== undefined) parts.push(isOneOf('session_id', new Set([sessionId])));
  // What costs something has a known cost: in this form an index helps.
  const { minCostNanoUsd: least = 0, maxCostNanoUsd: most } = filter;
  if (least > 0) parts.push(sql`(case when g.is_cost_known then g.cost_nano end) >= ${least}::bigint`);
  if (most !== undefined) parts.push(sql`g.cost_nano <= ${Math.floor(most)}::bigint`);
  for (const condition of filter.conditions ?? []) {
    const met = toConditionSql(condition);
    if (met === undefined) remaining.push(condition);
    else parts.push(met);
  }
  return { matches: parts.length === 0 ? sql`true` : sql.join(parts, sql` and `), remaining };
}

/** What is held as an id; the others are facts. */
const IDS = new Set(['principal_id', 'user_id']);
/** Texts that are not optional; the others are null where a filter says that there is none. */
const REQUIRED = new Set(['model', 'principal_id', 'status']);

/** Whether a column has one of these values. */
export function isAnyOf(name: string, values: ReadonlySet<string>): RawBuilder<unknown> {
  const texts = toTexts(name, values);
  const [only] = texts;
  const column = sql.raw(`g.${name}`);
  return texts.length === 1 ? sql`${column} = ${only}` : sql`${column} = any (${texts}::text[])`;
}

const toTexts = (name: string, values: ReadonlySet<string>): string[] =>
  [...values].map(IDS.has(name) ? toColumnId : toFactText);

/** The same, where the empty value stands for none. */
export function isOneOrNull(name: string, values: ReadonlySet<string>): RawBuilder<unknown> {
  const column = sql.raw(`g.${name}`);
  const texts = toTexts(name, values);
  const given = REQUIRED.has(name) ? texts : texts.filter((value) => value !== '');
  const [only] = given;
  const is = given.length === 1 ? sql`${column} = ${only}` : sql`${column} = any (${given}::text[])`;
  if (given.length === texts.length) return is;
  return given.length === 0 ? sql`${column} is null` : sql`(${column} is null or ${is})`;
}

/** What began within a span, by the time and by the day of the partition, which may be that of a second before. */
export function isWithin(fromMs: number | undefined, toMs: number | undefined): RawBuilder<unknown> {
  const parts = [
    ...(fromMs === undefined
      ? []
      : [sql`g.created_at_ms >= ${clampMs(fromMs)}::bigint and g.day >= ${toDay(fromMs - DAY_MS)}::date`]),
    ...(toMs === undefined
      ? []
      : [sql`g.created_at_ms < ${clampMs(toMs)}::bigint and g.day <= ${toDay(toMs + DAY_MS)}::date`]),
  ];
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LAST_MS = Date.UTC(9999, 0);

/** A moment that PostgreSQL can hold, in whole milliseconds. */
export const clampMs = (ms: number): number => Math.ceil(Math.min(LAST_MS, Math.max(0, ms)));
const toDay = (ms: number): string => new Date(Math.floor(clampMs(ms))).toISOString().slice(0, 10);
