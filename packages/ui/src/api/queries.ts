import type {
  AccountSettings,
  ActivityItem,
  AnyKey,
  GenerationHistogram,
  Guardrail,
  Health,
  Instance,
  KeyAssignment,
  KeyDetail,
  Member,
  MemberAssignment,
  Model,
  ModelEndpoints,
  ModelList,
  RateLimitList,
  Workspace,
} from '@model-gateway/core/wire';
import { type QueryFunctionContext, queryOptions } from '@tanstack/react-query';

import { toPeriodStart } from '../format/days.ts';
import { ApiError } from './api-error.ts';
import { callApi, type Query } from './call-api.ts';
import { ifPermitted } from './session.ts';
import type { GenerationList, Key, Page, Provider } from './types.ts';

interface RefreshedQuery {
  readonly state: { readonly data: unknown; readonly error: Error | null };
}

/**
 * The interval of a query that is to be loaded again and again. What has nothing to show while the gateway's database is
 * away waits for `recoverQueries`, or its panel would turn into a loading one and back all the time.
 */
export const refreshEvery =
  (ms: number | false) =>
  ({ state: { data, error } }: RefreshedQuery): number | false =>
    data === undefined && error instanceof ApiError && error.status === 503 ? false : ms;

const RECENT = 8;

/** Lists that are shown whole are asked for in pages of what the wire allows. */
export async function readAll<Row>(path: string, limit: number, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await callApi<Page<Row>>(path, { query: { offset: rows.length, limit }, signal });
    rows.push(...page.data);
    if (page.data.length === 0 || rows.length >= page.total_count) return rows;
  }
}

/** A gateway that takes longer to report its state cannot be reached, as far as a user is concerned. */
const HEALTH_LIMIT_MS = 5000;

const HEALTH_EVERY_MS = 5000;
/** A gateway that is away is to be greeted as soon as it is back, and until then nobody has work by the question. */
const RETURN_EVERY_MS = 1000;

/** Whether the gateway is there. Any other query that does not reach it makes this one look at once. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) =>
    callApi<Health>('/health', {
      signal: AbortSignal.any([signal, AbortSignal.timeout(HEALTH_LIMIT_MS)]),
    }),
  refetchInterval: ({ state }) => (state.status === 'error' ? RETURN_EVERY_MS : HEALTH_EVERY_MS),
  staleTime: 0,
  retry: false,
});

/** The process that responds. Behind a balancer the next one may be another. */
export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: async ({ signal }) => (await callApi<{ data: Instance }>('/admin/v1/instance', { signal })).data,
  refetchInterval: 2000,
  staleTime: 0,
});

/** Every model, of whatever kind; the screens filter what they have. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }): Promise<readonly Model[]> =>
    (await callApi<ModelList>('/api/v1/models', { query: { output_modalities: 'all' }, signal })).data,
});

export const endpointsQuery = (id: string) =>
  queryOptions({
    queryKey: ['endpoints', id],
    queryFn: async ({ signal }) =>
      (
        await callApi<ModelEndpoints>(`/api/v1/models/${id.split('/').map(encodeURIComponent).join('/')}/endpoints`, {
          signal,
        })
      ).data.endpoints,
  });

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async ({ signal }) => (await callApi<{ data: readonly Provider[] }>('/api/v1/providers', { signal })).data,
});

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => readAll<Key>('/api/v1/keys?include_disabled=true', 100, signal),
});

/** Includes keys of the configuration and of all workspaces: for showing, where the others are for choosing. */
export const allKeysQuery = queryOptions({
  queryKey: ['keys', 'all'],
  queryFn: ({ signal }) => readAll<AnyKey>('/admin/v1/keys', 100, signal),
});

export const keyDetailQuery = (hash: string) =>
  queryOptions({
    queryKey: ['keys', 'one', hash],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: KeyDetail }>(`/admin/v1/keys/${encodeURIComponent(hash)}`, { signal })).data,
  });

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ifPermitted('listMembers', ({ signal }) => readAll<Member>('/api/v1/organization/members', 100, signal), []),
});

export const memberAssignmentsQuery = queryOptions({
  queryKey: ['guardrails', 'member-assignments'],
  queryFn: ifPermitted(
    'listMemberAssignments',
    ({ signal }) => readAll<MemberAssignment>('/api/v1/guardrails/assignments/members', 100, signal),
    [],
  ),
});

export const keyAssignmentsQuery = queryOptions({
  queryKey: ['guardrails', 'assignments'],
  queryFn: ifPermitted(
    'listKeyAssignments',
    ({ signal }) => readAll<KeyAssignment>('/api/v1/guardrails/assignments/keys', 100, signal),
    [],
  ),
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => (await callApi<{ data: AccountSettings }>('/admin/v1/settings', { signal })).data,
});

/** The rate limits of the configuration, and those that were set since. */
export const rateLimitsQuery = queryOptions({
  queryKey: ['rate-limits'],
  queryFn: ifPermitted(
    'listRateLimits',
    async ({ signal }) => (await callApi<RateLimitList>('/admin/v1/rate-limits', { signal })).data,
    [],
  ),
});

/** The default one first. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => readAll<Workspace>('/api/v1/workspaces', 100, signal),
});

/** Those of all workspaces, of which the API lists one at a time. */
export const guardrailsQuery = queryOptions({
  queryKey: ['guardrails'],
  queryFn: ifPermitted(
    'listGuardrails',
    async ({ client, signal }: QueryFunctionContext) => {
      const path = '/api/v1/guardrails';
      const ofDefault = readAll<Guardrail>(path, 100, signal);
      const [own, [, ...others]] = await Promise.all([ofDefault, client.fetchQuery(workspacesQuery)]);
      const lists = others.map(({ id }) =>
        readAll<Guardrail>(`${path}?workspace_id=${encodeURIComponent(id)}`, 100, signal),
      );
      return [own, ...(await Promise.all(lists))].flat();
    },
    [],
  ),
});

/** The latest calls, newest first. */
export const recentCallsQuery = queryOptions({
  queryKey: ['generations', 'recent'],
  refetchInterval: refreshEvery(10_000),
  queryFn: ifPermitted(
    'listGenerations',
    ({ signal }) => callApi<GenerationList>('/admin/v1/generations', { query: { limit: RECENT }, signal }),
    { data: [], next_cursor: null, key_names: {} },
  ),
});

/** The latest calls of a key, model or provider. */
export const latestCallsQuery = (filter: Query) =>
  queryOptions({
    queryKey: ['generations', 'latest', filter],
    refetchInterval: refreshEvery(30_000),
    queryFn: ifPermitted(
      'listGenerations',
      ({ signal }) => callApi<GenerationList>('/admin/v1/generations', { query: { ...filter, limit: RECENT }, signal }),
      { data: [], next_cursor: null, key_names: {} },
    ),
  });

/** Spending of today on the user's clock, as under *Today* of the overview, in US dollars. */
export const spentTodayQuery = queryOptions({
  queryKey: ['generations', 'spent-today'],
  refetchInterval: refreshEvery(60_000),
  queryFn: async ({ signal }) => {
    const query = { from: new Date(toPeriodStart('today', Date.now())).toISOString(), buckets: 1 };
    const { totals } = await callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal });
    return totals.cost;
  },
});

/** The last 30 days by day, model and endpoint. */
export const activityQuery = queryOptions({
  queryKey: ['activity'],
  refetchInterval: refreshEvery(60_000),
  queryFn: async ({ signal }) =>
    (await callApi<{ data: readonly ActivityItem[] }>('/api/v1/activity', { signal })).data,
});
