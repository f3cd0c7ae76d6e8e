import type { Guardrail } from '@model-gateway/core/wire';
import type { QueryClient } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { guardrailsQuery, keyAssignmentsQuery, keysQuery, memberAssignmentsQuery } from '../../api/queries.ts';

/** What guardrails are assigned to. */
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

/** Creates a guardrail with these rules; without any it restricts nothing. */
export const createGuardrail = async (rules: { readonly name: string } & Record<string, unknown>): Promise<Guardrail> =>
  (await callApi<{ data: Guardrail }>('/api/v1/guardrails', { method: 'POST', body: rules })).data;

/** Loads guardrails and assignments again, and what applies to keys. */
export const refreshGuardrails = (client: QueryClient): Promise<unknown> =>
  Promise.all(
    [guardrailsQuery, keyAssignmentsQuery, memberAssignmentsQuery, keysQuery].map(({ queryKey }) =>
      client.invalidateQueries({ queryKey }),
    ),
  );
