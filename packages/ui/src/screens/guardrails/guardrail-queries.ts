import type { Guardrail, GuardrailHitList } from '@model-gateway/core/wire';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { guardrailsQuery, keyAssignmentsQuery, memberAssignmentsQuery, refreshEvery } from '../../api/queries.ts';
import { HOUR_MS } from '../../format/days.ts';

const FRESH_MS = 15_000;

/** What all guardrails did in the last 24 hours. */
export const recentHitsQuery = queryOptions({
  queryKey: ['guardrails', 'hits', 'recent'],
  queryFn: ({ signal }) => callApi<GuardrailHitList>('/admin/v1/guardrails/hits', { signal }),
  refetchInterval: refreshEvery(FRESH_MS),
});

export const HIT_SPANS = { '24h': '24 h', '7d': '7 d', '30d': '30 d' } as const;
export type HitSpan = keyof typeof HIT_SPANS;
const HOURS: Readonly<Record<HitSpan, number>> = { '24h': 24, '7d': 168, '30d': 720 };

/** What one guardrail did, with the calls it refused. */
export const hitsQuery = (guardrail: string, span: HitSpan) =>
  queryOptions({
    queryKey: ['guardrails', 'hits', guardrail, span],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - HOURS[span] * HOUR_MS).toISOString();
      const by = span === '30d' ? 'day' : 'hour';
      return callApi<GuardrailHitList>('/admin/v1/guardrails/hits', { query: { guardrail, from, by }, signal });
    },
    refetchInterval: refreshEvery(FRESH_MS),
    placeholderData: keepPreviousData,
  });

/** Whom guardrails hold for. */
export type Subjects = 'keys' | 'members';

/** Assigns a guardrail to keys or members, or takes it from them. */
export function assign(
  { guardrailId, subjects }: { readonly guardrailId: string; readonly subjects: Subjects },
  ids: readonly string[],
  isAssigned: boolean,
): Promise<unknown> {
  return callApi(`/api/v1/guardrails/${guardrailId}/assignments/${subjects}${isAssigned ? '' : '/remove'}`, {
    method: 'POST',
    body: subjects === 'keys' ? { key_hashes: ids } : { member_user_ids: ids },
  });
}

export const saveGuardrail = async (id: string, change: Record<string, unknown>): Promise<Guardrail> =>
  (await callApi<{ data: Guardrail }>(`/api/v1/guardrails/${id}`, { method: 'PATCH', body: change })).data;

/** Loads guardrails and assignments again. */
export const refreshGuardrails = (client: QueryClient): Promise<unknown> =>
  Promise.all(
    [guardrailsQuery, keyAssignmentsQuery, memberAssignmentsQuery].map(({ queryKey }) =>
      client.invalidateQueries({ queryKey }),
    ),
  );
