import type { GenerationRow, RefusalBody } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import type { GenerationContent, GenerationList, Key } from '../../api/types.ts';

/** A key that was made for a tool. The page holds its secret for as long as it shows it. */
export interface ToolKey {
  readonly secret: string;
  readonly hash: string;
  readonly name: string;
  readonly limitUsd: number | null;
  /** By the clock of the gateway. */
  readonly createdAt: string;
}

/** Makes a key of its own for a tool; a limit holds for each month, null is none. Throws `ApiError`. */
export async function createToolKey(name: string, limitUsd: number | null): Promise<ToolKey> {
  const { key, data } = await callApi<{ key: string; data: Key }>('/api/v1/keys', {
    method: 'POST',
    body: { name, limit: limitUsd, limit_reset: limitUsd === null ? null : 'monthly' },
  });
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
  return { secret: key, hash: data.hash, name, limitUsd, createdAt: data.created_at };
}

const FIELDS = ['id', 'created_at', 'model', 'status', 'total_cost', 'cost_known', 'generation_time'] as const;
export type FirstCall = Pick<GenerationRow, (typeof FIELDS)[number]>;

/** Short enough for a person who looks from one window to the other. */
const ASK_AGAIN_MS = 1500;

/** The latest call of a new key; null until there is one. */
export const latestCallQuery = ({ hash, createdAt }: ToolKey) =>
  queryOptions({
    queryKey: ['generations', 'of-tool', hash],
    staleTime: 0,
    refetchInterval: ASK_AGAIN_MS,
    // The user is in the window of the tool.
    refetchIntervalInBackground: true,
    queryFn: async ({ signal }): Promise<FirstCall | null> => {
      const query = { key: hash, from: createdAt, limit: 1, fields: FIELDS.join(',') };
      const { data } = await callApi<GenerationList<FirstCall>>('/admin/v1/generations', { query, signal });
      return data[0] ?? null;
    },
  });

/** The latest refusal that may be of a tool; null until there is one. */
export const latestRefusalQuery = ({ hash, createdAt }: ToolKey) =>
  queryOptions({
    queryKey: ['refusals', hash],
    staleTime: 0,
    refetchInterval: ASK_AGAIN_MS,
    refetchIntervalInBackground: true,
    queryFn: async ({ signal }): Promise<RefusalBody | null> => {
      const query = { key: hash, since: createdAt };
      const { data } = await callApi<{ data: readonly RefusalBody[] }>('/admin/v1/refusals', { query, signal });
      return data[0] ?? null;
    },
  });

/** Why a call failed, in the words of the provider or the gateway; null where that was not stored. */
export const failureQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'failure'],
    queryFn: async ({ signal }): Promise<string | null> => {
      const path = '/api/v1/generation/content';
      const { data } = await callApi<{ data: Pick<GenerationContent, 'error'> }>(path, { query: { id }, signal });
      return data.error?.message ?? null;
    },
  });
