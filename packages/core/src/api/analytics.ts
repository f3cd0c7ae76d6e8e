import { listWorkspaceRecords } from '../account/workspaces.ts';
import type { FindKeyNames, MemberDirectory } from '../auth/keys.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Platform } from '../foundation/platform.ts';
import { addUpAnalytics, type AnalyticsRow } from '../generations/analytics.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import {
  ANALYTICS_META,
  analyticsMetaSchema,
  type AnalyticsQuery,
  analyticsQuerySchema,
  analyticsResponseSchema,
  type Dimension,
} from '../wire/analytics.ts';
import { toOpenEnd } from '../wire/fields.ts';

export interface AnalyticsParts {
  readonly platform: Pick<Platform, 'now' | 'monotonicNow'>;
  readonly store: Pick<Store, 'generations' | 'workspaces'>;
  readonly catalog: Catalog;
  readonly members: MemberDirectory;
  readonly findKeyNames: FindKeyNames;
}

/** `GET /analytics/meta`: the names that a query may use. */
export const getAnalyticsMeta = operation<AnalyticsParts>()({
  response: analyticsMetaSchema,
  run: () => ({ data: ANALYTICS_META }),
});

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * `POST /analytics/query`: keys, members and workspaces are shown by their names, where they have any, and filtered by
 * their ids. A query that takes longer than ten seconds is refused with 408.
 */
export const queryAnalytics = operation<AnalyticsParts>()({
  body: analyticsQuerySchema,
  response: analyticsResponseSchema,
  errors: ['timeout'],
  async run({ parts, body: { time_range: range, ...query } }) {
    const { platform, store } = parts;
    const beganAt = platform.monotonicNow();
    const toMs = range?.end ?? toOpenEnd(platform.now());
    const fromMs = range?.start ?? toMs - WEEK_MS;
    const { rows, isTruncated } = await addUpAnalytics({ ...query, fromMs, toMs }, parts);
    const completeFromMs = await store.generations.completeFromMs?.();
    const warnings = [
      ...(await findUnknownKeys(query, parts)),
      ...(completeFromMs === undefined || completeFromMs <= fromMs
        ? []
        : [`What began before ${toIso(completeFromMs)} is not kept any more, and not counted`]),
    ];
    const data = await toData(rows, query, parts);
    return {
      data: {
        data,
        metadata: { row_count: data.length, query_time_ms: platform.monotonicNow() - beganAt, truncated: isTruncated },
        ...(warnings.length > 0 && { warnings }),
      },
    };
  },
});

const toIso = (ms: number): string => new Date(ms).toISOString();

/** Calls of a key that was deleted count all the same, so that its hash may be right. */
async function findUnknownKeys(
  { filters }: Pick<AnalyticsQuery, 'filters'>,
  { findKeyNames }: AnalyticsParts,
): Promise<string[]> {
  const hashes = filters.flatMap(({ field, value }) => (field === 'api_key_id' ? [value].flat().map(String) : []));
  const names = await findKeyNames(new Set(hashes));
  return [...new Set(hashes)]
    .filter((hash) => names[hash] === undefined)
    .map((hash) => `There is no key with the hash ${hash.slice(0, 100)} now; only past calls of it are counted`);
}

async function toData(
  rows: readonly AnalyticsRow[],
  { metrics, dimensions, granularity }: Pick<AnalyticsQuery, 'metrics' | 'dimensions' | 'granularity'>,
  parts: AnalyticsParts,
): Promise<Record<string, string | number | null>[]> {
  const labels = await Promise.all(
    dimensions.map((dimension, place) =>
      findLabels(dimension, new Set(rows.map(({ values }) => values[place])), parts),
    ),
  );
  return rows.map(({ startMs, values, figures }) => ({
    ...(startMs !== null && { [`date__${granularity}`]: toIso(startMs) }),
    ...Object.fromEntries(
      dimensions.map((dimension, place) => {
        const value = values[place] ?? null;
        return [dimension, value === null ? null : toLabel(value, labels[place] ?? {})];
      }),
    ),
    ...Object.fromEntries(metrics.map((metric, place) => [metric, figures[place] ?? null])),
  }));
}

/** A value may be any text of a caller, that of a member of every object, too. */
const toLabel = (value: string, labels: Readonly<Record<string, string>>): string =>
  Object.hasOwn(labels, value) ? (labels[value] ?? value) : value;

/** What people call the values of a dimension; those without a name stay as they are. */
async function findLabels(
  dimension: Dimension,
  values: ReadonlySet<string | null | undefined>,
  parts: AnalyticsParts,
): Promise<Readonly<Record<string, string>>> {
  const ids = [...values].flatMap((value) => value ?? []);
  if (dimension === 'api_key_id') return parts.findKeyNames(new Set(ids));
  if (dimension === 'workspace') {
    const workspaces = await listWorkspaceRecords(parts);
    return Object.fromEntries(workspaces.map(({ id, workspace }) => [id, workspace.name]));
  }
  if (dimension !== 'user') return {};
  const labels: Record<string, string> = {};
  for (const id of ids) {
    const member = await parts.members.get(id);
    const name = member && ([member.first_name, member.last_name].filter(Boolean).join(' ') || member.email);
    if (name !== undefined && name !== '') labels[id] = name;
  }
  return labels;
}
