import type { Guardrail, GuardrailHitList } from '@model-gateway/core/wire';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery, workspacesQuery } from '../../api/queries.ts';
import { type PeriodName, toPeriodStart } from '../../format/days.ts';

const FRESH_MS = 15_000;

/** What all guardrails did in the last 24 hours. */
export const recentHitsQuery = queryOptions({
  queryKey: ['guardrails', 'hits', 'recent'],
  queryFn: ({ signal }) => callApi<GuardrailHitList>('/admin/v1/guardrails/hits', { signal }),
  refetchInterval: refreshEvery(FRESH_MS),
});

/** Tells the name of a guardrail's workspace; undefined for the default one. */
export function useWorkspaceOf(): (guardrail: Pick<Guardrail, 'workspace_id'>) => string | undefined {
  const { data } = useQuery(workspacesQuery);
  return useMemo(() => {
    const names = new Map(data?.slice(1).map(({ id, name }) => [id, name]));
    return ({ workspace_id: id }) => (id === null ? undefined : names.get(id));
  }, [data]);
}

export const HIT_SPANS = ['24h', '7d', '30d'] as const satisfies readonly PeriodName[];
export type HitSpan = (typeof HIT_SPANS)[number];

/** What one guardrail did, with the calls it refused. */
export const hitsQuery = (guardrail: string, span: HitSpan) =>
  queryOptions({
    queryKey: ['guardrails', 'hits', guardrail, span],
    queryFn: ({ signal }) => {
      const from = new Date(toPeriodStart(span, Date.now())).toISOString();
      const by = span === '30d' ? 'day' : 'hour';
      return callApi<GuardrailHitList>('/admin/v1/guardrails/hits', { query: { guardrail, from, by }, signal });
    },
    refetchInterval: refreshEvery(FRESH_MS),
    placeholderData: keepPreviousData,
  });
