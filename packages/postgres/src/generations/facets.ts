import {
  createFacetCount,
  type GenerationFacets,
  type GenerationFilter,
  type GenerationStatus,
  toGenerationFacts,
} from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { fromColumnId } from '../connection/column-text.ts';
import { isOneOrNull, isWithin, toFilterSql } from './filters.ts';
import { toCut, toOneDimension, toValues } from './histogram.ts';
import { findBounds } from './list-rows.ts';
import { type Read, type ReadParts, type Span, walkSpans } from './reader.ts';
import { searchRecords } from './search.ts';
import { toSlots } from './slots.ts';
import { readSums, type SumRow } from './sums.ts';

const LIMIT_MS = 5000;
const WALK_MS = 400;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Counts by status, model, provider and principal: from the sums where the filter is about a status alone, from the sums
 * of days where it is about things they tell apart, else from rows, as far back as there is time for.
 */
export async function countFacets(filter: GenerationFilter, parts: ReadParts): Promise<GenerationFacets> {
  const bounds = await parts.snapshot(LIMIT_MS, findBounds);
  if (bounds === undefined) return createFacetCount(filter).read();
  const span = {
    fromMs: Math.max(filter.createdFromMs ?? 0, bounds.fromMs),
    toMs: Math.min(filter.createdBeforeMs ?? bounds.toMs, bounds.toMs),
  };
  if (span.fromMs >= span.toMs) return createFacetCount(filter).read();
  if (toFilterSql(filter).remaining.length > 0) {
    const count = createFacetCount(filter);
    const { statuses: _, models: __, providerNames: ___, principalIds: ____, ...others } = filter;
    const searchedFromMs = await searchRecords({ filter: others, span, parts }, (record) =>
      count.add(toGenerationFacts(record), () => record),
    );
    return { ...count.read(), ...toCut(searchedFromMs, span) };
  }
  if (isInSums(filter)) return parts.snapshot(LIMIT_MS, (read) => countSums(read, filter, span));
  const counts = createCounts();
  const walk = { span, budgetMs: WALK_MS, monotonicNow: parts.monotonicNow };
  const searchedFromMs = await walkSpans(walk, async ({ fromMs, toMs }, limitMs) => {
    const { statuses: _, models: __, providerNames: ___, principalIds: ____, ...others } = filter;
    const from = sql`(select 1 as requests, g.* from gateway.generations g
      where ${isWithin(fromMs, toMs)} and ${toFilterSql(others).matches}) as g`;
    for (const row of await parts.snapshot(limitMs, (read) => read(countRows(filter, from)))) counts.add(row);
    return false;
  });
  return { ...counts.read(), ...toCut(searchedFromMs, span) };
}

const KINDS = { status: 'statuses', model: 'models', provider: 'providerNames', key: 'principalIds' } as const;
const COLUMNS = { status: 'status', model: 'model', provider: 'provider_name', key: 'principal_id' } as const;

/** Each kind under all parts of the filter but its own. */
async function countSums(read: Read, filter: GenerationFilter, span: Span): Promise<GenerationFacets> {
  const counts = createCounts();
  for (const kind of ['status', 'model', 'provider', 'key'] as const) {
    for (const row of await countKind(read, kind, { filter: { ...filter, [KINDS[kind]]: undefined }, span })) {
      counts.add(row);
      // The status is all that is left out here, so that those of the filter are all that match.
      if (kind === 'status' && filter.statuses?.has(row.value as GenerationStatus) !== false)
        counts.add({ ...row, kind: 'total' });
    }
  }
  return counts.read();
}

/** From the sums of a dimension where no other one is left, else from those of days. */
async function countKind(
  read: Read,
  kind: Exclude<CountRow['kind'], 'total'>,
  { filter, span }: { readonly filter: GenerationFilter; readonly span: Span },
): Promise<readonly CountRow[]> {
  const of = kind === 'status' ? undefined : kind;
  const dimension = toOneDimension(filter, of);
  const isAlone = dimension !== undefined && (of === undefined || toOneDimension(filter) === '');
  if (!isAlone) return (await read(countDays(COLUMNS[kind], filter, span))).map((row) => ({ kind, ...row }));
  const buckets = { startMs: span.fromMs, bucketMs: span.toMs - span.fromMs, buckets: 1 };
  const slots = toSlots(buckets, span.fromMs, span.toMs);
  const sums = { dimension, values: toValues(filter, dimension), statuses: toStatuses(filter), slots };
  const rows = await readSums(read, sums);
  return rows.flatMap(kind === 'status' ? toStatusCounts : ({ value, requests }) => [{ kind, value, requests }]);
}

const toStatusCounts = ({ requests, failed, cancelled, interrupted }: SumRow): CountRow[] =>
  Object.entries({ ok: requests - failed - cancelled - interrupted, failed, cancelled, interrupted }).map(
    ([status, counted]) => ({ kind: 'status', value: status, requests: counted }),
  );

const toStatuses = ({ statuses }: GenerationFilter): GenerationStatus[] | undefined => statuses && [...statuses];

function countDays(column: string, filter: GenerationFilter, span: Span) {
  return sql<{
    value: string | null;
    requests: number;
  }>`select ${sql.ref(column)} as value, sum(requests)::bigint as requests
    from ${toDayRows(span, filter)} group by 1 having sum(requests) <> 0`;
}

/** Whether the sums of days tell apart all that a filter is about. */
const isInSums = ({ minCostNanoUsd: least = 0, ...filter }: GenerationFilter): boolean =>
  filter.reach === undefined &&
  least === 0 &&
  filter.maxCostNanoUsd === undefined &&
  filter.sessionId === undefined &&
  !filter.conditions?.length;

/** Whole days from their sums, and what is left of a span at its ends from rows. */
function toDayRows(
  { fromMs, toMs }: Span,
  { createdFromMs: _, createdBeforeMs: __, ...filter }: GenerationFilter,
): RawBuilder<unknown> {
  const firstMs = Math.min(toMs, Math.ceil(fromMs / DAY_MS) * DAY_MS);
  const lastMs = Math.max(firstMs, Math.floor(toMs / DAY_MS) * DAY_MS);
  const columns = sql.raw('g.status, g.model, g.provider_name, g.principal_id');
  const { matches } = toFilterSql(filter);
  // What has no provider, member or app has an empty one there.
  const days = sql`select g.requests, ${columns} from gateway.generation_days g
    where g.day_ms >= ${firstMs}::bigint and g.day_ms < ${lastMs}::bigint and ${toFilterSql(filter, { isNullEmpty: true }).matches}`;
  const changes = sql`select g.sign, ${columns} from gateway.generation_changes g
    where g.created_at_ms >= ${firstMs}::bigint and g.created_at_ms < ${lastMs}::bigint and ${matches}`;
  const edges = [
    { fromMs, toMs: firstMs },
    { fromMs: lastMs, toMs },
  ].filter((edge) => edge.fromMs < edge.toMs);
  const rows = edges.map(
    (edge) =>
      sql`select 1, ${columns} from gateway.generations g where ${isWithin(edge.fromMs, edge.toMs)} and ${matches}`,
  );
  return sql`(${sql.join([days, changes, ...rows], sql` union all `)}) as g`;
}

interface CountRow {
  readonly kind: 'total' | 'status' | 'model' | 'provider' | 'key';
  readonly value: string | null;
  readonly requests: number;
}

/** Counts each kind of rows with a number of requests, under all parts of the filter but its own. */
function countRows(filter: GenerationFilter, from: RawBuilder<unknown>): RawBuilder<CountRow> {
  const { statuses, models, providerNames, principalIds } = filter;
  const is = {
    status: statuses === undefined ? sql`true` : isOneOrNull('status', statuses),
    model: models === undefined ? sql`true` : isOneOrNull('model', models),
    provider: providerNames === undefined ? sql`true` : isOneOrNull('provider_name', providerNames),
    key: principalIds === undefined ? sql`true` : isOneOrNull('principal_id', principalIds),
  };
  const without = (kind: string): RawBuilder<unknown> =>
    sql`sum(requests) filter (where ${sql.join(
      [
        sql`true`,
        ...Object.keys(is)
          .filter((name) => name !== kind)
          .map((name) => sql.ref(`is_${name}`)),
      ],
      sql` and `,
    )})`;
  return sql<CountRow>`select kind, value, requests::bigint from (
    select case grouping(status, model, provider_name, principal_id)
        when 7 then 'status' when 11 then 'model' when 13 then 'provider' when 14 then 'key' else 'total' end as kind,
      coalesce(status, model, provider_name, principal_id) as value,
      case grouping(status, model, provider_name, principal_id) when 7 then ${without('status')}
        when 11 then ${without('model')} when 13 then ${without('provider')} when 14 then ${without('key')}
        else ${without('')} end as requests
    from (select requests, status, model, provider_name, principal_id, ${is.status} as is_status, ${is.model} as is_model,
      ${is.provider} as is_provider, ${is.key} as is_key from ${from}) as given
    group by grouping sets ((status), (model), (provider_name), (principal_id), ())
  ) as counted where requests <> 0`;
}

function createCounts() {
  const kinds = { status: new Map(), model: new Map(), provider: new Map(), key: new Map() };
  let total = 0;
  return {
    add({ kind, value, requests }: CountRow): void {
      if (kind === 'total') total += requests;
      else if (kind !== 'provider' || (value !== null && value !== '')) {
        const name = kind === 'key' ? fromColumnId(value ?? '') : (value ?? '');
        kinds[kind].set(name, (kinds[kind].get(name) ?? 0) + requests);
      }
    },
    read(): GenerationFacets {
      const known = <Name extends string>(map: Map<string, number>): ReadonlyMap<Name, number> =>
        new Map([...map].filter((entry): entry is [Name, number] => entry[1] !== 0));
      return {
        total,
        statuses: known<GenerationStatus>(kinds.status),
        models: known(kinds.model),
        providerNames: known(kinds.provider),
        principalIds: known(kinds.key),
      };
    },
  };
}
