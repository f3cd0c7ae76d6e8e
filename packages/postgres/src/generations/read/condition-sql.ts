import type { GenerationCondition } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toWholeText } from './whole-text.ts';

type Sql = RawBuilder<unknown>;

/** Columns that say the same as the record does. What several attempts have is in arrays. */
const TEXTS: Readonly<Record<string, string>> = {
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
/** Those that hold a part of what is long; members of a generation have the same names. */
const CUT = new Set(['session_id', 'model', 'provider_name', 'finish_reason', 'user_agent', 'external_user']);
const NUMBERS: Readonly<Record<string, string>> = {
  attempts: 'attempts',
  duration: 'duration_ms',
  in: 'prompt_tokens',
  out: 'completion_tokens',
  speed: 'tokens_per_second',
  latency: 'latency_ms',
};
const BOOLEANS: Readonly<Record<string, string>> = {
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
export function toConditionSql(condition: GenerationCondition): Sql | undefined {
  const met = toMetSql(condition);
  if (met === undefined) return undefined;
  return condition.isNegated ? sql`coalesce(not (${met}), true)` : met;
}

function toMetSql(condition: GenerationCondition): Sql | undefined {
  const { field, sign, values } = condition;
  const text = TEXTS[field];
  if (text !== undefined) return sign === ':' ? toTextSql(toText(text), values) : sql`false`;
  if (field === 'error' && sign === ':') {
    const one = toTextSql(sql`error.value`, values);
    return one && sql`exists (select from unnest(g.errors) as error (value) where ${one})`;
  }
  const flag = BOOLEANS[field];
  if (flag !== undefined) {
    const wanted = values.filter((value) => typeof value === 'boolean');
    return sign === ':' ? sql`${column(flag)} = any (${wanted}::boolean[])` : sql`false`;
  }
  if (field === 'cost') {
    // What is the same to the last digit has to be read from the record.
    if (sign === ':') return undefined;
    const cost = sql`(case when g.is_cost_known then g.cost_nano::double precision / 1e9 end)`;
    return toNumberSql(cost, condition);
  }
  const number = NUMBERS[field];
  return number === undefined ? undefined : toNumberSql(column(number), condition);
}

const column = (name: string): Sql => sql.raw(name.startsWith('(') ? name : `g.${name}`);

const toText = (name: string): Sql => (CUT.has(name) ? toWholeText(name) : column(name));

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
