import type { GenerationCondition, GenerationFilter, GenerationReach } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toColumnId, toFactText } from '../connection/column-text.ts';

/** A filter as SQL; `g` is the table. */
export interface FilterSql {
  /** For `where`. It says nothing about time. */
  readonly matches: RawBuilder<unknown>;
  /** Whether it is met by every generation. */
  readonly matchesAll: boolean;
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
  const { minCostNanoUsd: least = 0, maxCostNanoUsd: most } = filter;
  if (least > 0) parts.push(sql`g.cost_nano >= ${Math.ceil(least)}::bigint`);
  if (most !== undefined) parts.push(sql`g.cost_nano <= ${Math.floor(most)}::bigint`);
  for (const condition of filter.conditions ?? []) {
    const met = toConditionSql(condition);
    if (met === undefined) remaining.push(condition);
    else parts.push(met);
  }
  if (filter.reach !== undefined) parts.push(toReachSql(filter.reach));
  const matches = parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
  return { matches, matchesAll: parts.length === 0 && remaining.length === 0, remaining };
}

function toReachSql({ userId, workspaceIds }: GenerationReach): RawBuilder<unknown> {
  const workspaces = [...workspaceIds].map(toColumnId);
  const own = userId === null ? sql`false` : sql`g.user_id = ${toColumnId(userId)}`;
  return workspaces.length === 0 ? own : sql`(${own} or g.workspace_id = any (${workspaces}::text[]))`;
}

/** What is held as an id; the others are facts. */
const ID_COLUMNS = new Set(['principal_id', 'user_id']);
/** Texts that are not optional; the others are null where a filter says that there is none. */
const REQUIRED_COLUMNS = new Set(['model', 'principal_id', 'status']);

/** Whether a column has one of these values. */
export function isAnyOf(name: string, values: ReadonlySet<string>): RawBuilder<unknown> {
  const texts = toTexts(name, values);
  const [only] = texts;
  const column = sql.raw(`g.${name}`);
  return texts.length === 1 ? sql`${column} = ${only}` : sql`${column} = any (${texts}::text[])`;
}

const toTexts = (name: string, values: ReadonlySet<string>): string[] =>
  [...values].map(ID_COLUMNS.has(name) ? toColumnId : toFactText);

/** The same, where the empty value stands for none. */
export function isOneOrNull(name: string, values: ReadonlySet<string>): RawBuilder<unknown> {
  const column = sql.raw(`g.${name}`);
  const texts = toTexts(name, values);
  const given = REQUIRED_COLUMNS.has(name) ? texts : texts.filter((value) => value !== '');
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
const clampMs = (ms: number): number => Math.ceil(Math.min(LAST_MS, Math.max(0, ms)));
const toDay = (ms: number): string => new Date(Math.floor(clampMs(ms))).toISOString().slice(0, 10);

type Sql = RawBuilder<unknown>;

/** Columns that say the same as the record does. What several attempts have is in arrays. */
const TEXT_COLUMNS: Readonly<Record<string, string>> = {
  session: 'session_id',
  model: 'model',
  provider: 'provider_name',
  member: 'user_id',
  key: 'principal_id',
  status: 'status',
  finish: 'finish_reason',
  agent: 'user_agent',
  user: 'external_user',
};
/** Columns that hold a part of a long value; members of a generation have the same names. */
const CUT_COLUMNS = new Set(['session_id', 'model', 'provider_name', 'finish_reason', 'user_agent', 'external_user']);
const NUMBER_COLUMNS: Readonly<Record<string, string>> = {
  attempts: 'attempts',
  duration: 'duration_ms',
  in: 'prompt_tokens',
  out: 'completion_tokens',
  speed: 'tokens_per_second',
  latency: 'latency_ms',
};
const BOOLEAN_COLUMNS: Readonly<Record<string, string>> = {
  priced: 'is_cost_known',
  streamed: 'is_streamed',
  byok: 'is_byok',
  fallback: '(g.attempts > 1)',
};

const COMPARISONS = { '>': sql`>`, '>=': sql`>=`, '<': sql`<`, '<=': sql`<=`, ':': sql`=` } as const;
/** Longer texts are cut in columns. */
const MAX_PATTERN_CHARS = 150;

/**
 * A condition on columns, as `meetsConditions` understands it; undefined where the record has to be read. What is not
 * known meets no condition, but its negation.
 */
function toConditionSql(condition: GenerationCondition): Sql | undefined {
  const met = toMetSql(condition);
  if (met === undefined) return undefined;
  return condition.isNegated ? sql`coalesce(not (${met}), true)` : met;
}

function toMetSql(condition: GenerationCondition): Sql | undefined {
  const { field, sign, values } = condition;
  const text = TEXT_COLUMNS[field];
  if (text !== undefined) return sign === ':' ? toTextSql(toTextColumn(text), values) : sql`false`;
  if (field === 'error' && sign === ':') {
    const one = toTextSql(sql`error.value`, values);
    return one && sql`exists (select from unnest(g.errors) as error (value) where ${one})`;
  }
  const flag = BOOLEAN_COLUMNS[field];
  if (flag !== undefined) {
    const wanted = values.filter((value) => typeof value === 'boolean');
    return sign === ':' ? sql`${toColumn(flag)} = any (${wanted}::boolean[])` : sql`false`;
  }
  if (field === 'cost') {
    // What is the same to the last digit has to be read from the record.
    if (sign === ':') return undefined;
    const cost = sql`(case when g.is_cost_known then g.cost_nano::double precision / 1e9 end)`;
    return toNumberSql(cost, condition);
  }
  const number = NUMBER_COLUMNS[field];
  return number === undefined ? undefined : toNumberSql(toColumn(number), condition);
}

const toColumn = (name: string): Sql => sql.raw(name.startsWith('(') ? name : `g.${name}`);

const toTextColumn = (name: string): Sql => (CUT_COLUMNS.has(name) ? toWholeText(name) : toColumn(name));

function toNumberSql(column: Sql, { sign, values }: GenerationCondition): Sql {
  const wanted = values.filter((value) => typeof value === 'number');
  if (sign === ':') return sql`${column}::double precision = any (${wanted}::double precision[])`;
  const [bound] = values;
  if (typeof bound !== 'number') return sql`false`;
  return sql`${column} ${COMPARISONS[sign]} ${bound}::double precision`;
}

/**
 * Whether a text, in lower case, is as one of the patterns. SQL's lower case of other languages depends on the database,
 * so patterns with their characters are left to the record. Two of these characters become Latin ones.
 */
function toTextSql(column: Sql, values: GenerationCondition['values']): Sql | undefined {
  const patterns = values.filter((value) => typeof value === 'string');
  // oxlint-disable-next-line no-control-regex -- all of ASCII is meant, but for NUL, which no column holds
  if (!patterns.every((pattern) => /^[\u0001-\u007f]*$/.test(pattern) && pattern.length <= MAX_PATTERN_CHARS)) {
    return undefined;
  }
  const lower = sql`lower(replace(replace(${column}, ${'\u0130'}, ${'i\u0307'}), ${'\u212a'}, 'k') collate "C")`;
  const texts = patterns.filter((pattern) => !pattern.includes('*'));
  const likes = patterns.filter((pattern) => pattern.includes('*')).map(toLike);
  const parts = [
    ...(texts.length > 0 || likes.length === 0 ? [sql`${lower} = any (${texts}::text[])`] : []),
    ...(likes.length > 0 ? [sql`${lower} like any (${likes}::text[])`] : []),
  ];
  return sql`(${sql.join(parts, sql` or `)})`;
}

/** Several `*` say no more than one, but would cost a look at every place of the text each. */
const toLike = (pattern: string): string => pattern.replace(/[\\%_]/g, '\\$&').replace(/\*+/g, '%');

/** As `toFactText` ends what it has cut: `_` is any character of the hash. What ends like that by chance is whole. */
const CUT_PATTERN = `%…${'_'.repeat(16)}`;
const MAX_CUT_CHARS = 117;

/**
 * A fact as the record has it, where its column holds a part. The record is looked up for those rows alone, so that charts
 * read no more than an index. What PostgreSQL cannot hold is U+FFFD.
 */
const toWholeText = (column: string): RawBuilder<unknown> => {
  const cut = sql.ref(`g.${column}`);
  // Without escaped backslashes, all that remains of an escape begins with one.
  const json = sql`regexp_replace(replace(w.record, ${'\\\\'}, ${String.raw`\u005c`}),
    ${String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`}, ${String.raw`\\ufffd`}, 'g')::json`;
  return sql`(case when ${cut} like ${CUT_PATTERN} and length(${cut}) <= ${MAX_CUT_CHARS}
    then (select ${json} #>> ${`{generation,${column}}`} from gateway.generations w where w.day = g.day and w.id = g.id)
    else ${cut} end)`;
};
