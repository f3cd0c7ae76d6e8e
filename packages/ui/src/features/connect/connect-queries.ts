import type { GenerationRow, RefusalBody } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import type { GenerationContent, GenerationList, Key } from '../../api/types.ts';
import { connectMessages } from './messages.tsx';

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

/** What happened, and what its user can do about it. */
export interface Advice {
  readonly title: string;
  readonly advice: string;
}

interface Expected {
  readonly tool: string;
  readonly baseUrl: string;
  readonly model: string;
}

type Facts = Pick<RefusalBody, 'method' | 'path' | 'status' | 'message' | 'key_hash'>;

/** Other APIs that tools ask for and that the gateway does not serve, by the end of their address. */
const OTHER_FORMS = {
  '/audio/translations': 'translations',
  '/assistants': 'assistants',
  '/fine_tuning/jobs': 'fineTuning',
} as const;

/** Explains why a request of a tool was refused. A request without a valid key cannot be traced to a tool. */
export function describeRefusal(refusal: Facts, { tool, baseUrl, model }: Expected): Advice {
  const { method, path, status, key_hash: hash } = refusal;
  const t = connectMessages().refusals;
  if (status === 401 || (status === 429 && hash === null)) {
    return { title: t.key, advice: t.keyAdvice(tool) };
  }
  if (status === 404 && hash === null) {
    const form = Object.entries(OTHER_FORMS).find(([end]) => path.endsWith(end) && !path.endsWith('/chat/completions'));
    if (form !== undefined) return { title: t.otherForm(path, t.forms[form[1]]), advice: t.otherFormAdvice(tool) };
    return { title: t.noPath(method, path), advice: t.noPathAdvice(baseUrl, tool) };
  }
  return { title: t.refused, advice: toAdvice(refusal, model) };
}

function toAdvice({ status, message }: Facts, model: string): string {
  const t = connectMessages().refusals;
  switch (status) {
    case 400:
      return /model/i.test(message) ? t.model(model) : t.notAccepted;
    case 402:
      return t.limit;
    case 403:
      return t.forbidden;
    case 413:
      return t.tooLarge;
    case 429:
      return t.rateLimit;
    default:
      return t.other;
  }
}
