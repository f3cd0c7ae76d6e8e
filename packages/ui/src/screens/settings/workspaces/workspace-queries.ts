import type { Workspace, WorkspaceBudget, WorkspaceRoleEntry } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { ApiError } from '../../../api/api-error.ts';
import { callApi } from '../../../api/call-api.ts';
import { workspacesQuery } from '../../../api/queries.ts';
import { queryClient } from '../../../api/query-client.ts';

/** The interval of a budget, the narrowest first, as the gateway has them. */
export const INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The limit of each interval in USD; null where there is none. */
export interface Budgets extends Readonly<Record<Interval, number | null>> {
  readonly includesByok: boolean;
}

export type WorkspaceRole = WorkspaceRoleEntry['role'];

/** The default one, which cannot be deleted: it exists before it is stored. */
export const isDefaultWorkspace = ({ created_at: at }: Workspace): boolean => at.startsWith('1970-');

const toPath = (id: string): string => `/api/v1/workspaces/${encodeURIComponent(id)}`;

interface BudgetList {
  readonly data: readonly WorkspaceBudget[];
  readonly include_byok_in_budgets: boolean;
}

export const budgetsQuery = (id: string) =>
  queryOptions({
    queryKey: [...workspacesQuery.queryKey, 'budgets', id],
    queryFn: async ({ signal }): Promise<Budgets> => {
      const list = await callApi<BudgetList>(`${toPath(id)}/budgets`, { signal });
      const of = (interval: Interval): number | null =>
        list.data.find(({ reset_interval: other }) => (other ?? 'lifetime') === interval)?.limit_usd ?? null;
      return {
        daily: of('daily'),
        weekly: of('weekly'),
        monthly: of('monthly'),
        lifetime: of('lifetime'),
        includesByok: list.include_byok_in_budgets,
      };
    },
  });

/** The members of a workspace, with their roles there and what gives them. */
export const workspaceRolesQuery = (id: string) =>
  queryOptions({
    queryKey: [...workspacesQuery.queryKey, 'roles', id],
    queryFn: async ({ signal }) => {
      const path = `/admin/v1/workspaces/${encodeURIComponent(id)}/roles`;
      return (await callApi<{ data: readonly WorkspaceRoleEntry[] }>(path, { signal })).data;
    },
  });

/** Roles that members get by hand, by their ids; null for those who leave. */
export type RoleChange = Readonly<Record<string, WorkspaceRole | null>>;

export async function changeWorkspaceRoles(id: string, change: RoleChange): Promise<void> {
  const gone = Object.keys(change).filter((userId) => change[userId] === null);
  try {
    for (const [userId, role] of Object.entries(change)) {
      if (role === null) continue;
      const path = `/admin/v1/workspaces/${encodeURIComponent(id)}/roles/${encodeURIComponent(userId)}`;
      await callApi(path, { method: 'PUT', body: { role } });
    }
    if (gone.length > 0) await callApi(`${toPath(id)}/members/remove`, { method: 'POST', body: { user_ids: gone } });
  } finally {
    await refreshWorkspaces();
  }
}

/** Adds members with one role. Resolves with those who were not in the workspace yet: others keep the role they have. */
export async function addWorkspaceMembers(
  id: string,
  userIds: readonly string[],
  role: WorkspaceRole,
): Promise<readonly string[]> {
  const present = await queryClient.fetchQuery({ ...workspaceRolesQuery(id), staleTime: 0 });
  const added = withoutPresent(userIds, present);
  if (added.length > 0) await changeWorkspaceRoles(id, Object.fromEntries(added.map((userId) => [userId, role])));
  return added;
}

/** Those who are not in the workspace. */
export const withoutPresent = (
  userIds: readonly string[],
  present: readonly Pick<WorkspaceRoleEntry, 'user_id'>[],
): readonly string[] => userIds.filter((userId) => present.every(({ user_id: other }) => other !== userId));

export const refreshWorkspaces = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: workspacesQuery.queryKey });

export async function createWorkspace(body: object): Promise<Workspace> {
  const { data } = await callApi<{ data: Workspace }>('/api/v1/workspaces', { method: 'POST', body });
  await refreshWorkspaces();
  return data;
}

export async function changeWorkspace(id: string, body: object): Promise<Workspace> {
  const { data } = await callApi<{ data: Workspace }>(toPath(id), { method: 'PATCH', body });
  await refreshWorkspaces();
  return data;
}

export const deleteWorkspace = (id: string): Promise<unknown> => callApi(toPath(id), { method: 'DELETE' });

/** Takes what stands there to other budgets. Throws an `ApiError` whose issues name the interval. */
export async function changeBudgets(id: string, before: Budgets, after: Budgets): Promise<void> {
  for (const interval of toOrder(before, after)) {
    const limit = after[interval];
    const path = `${toPath(id)}/budgets/${interval}`;
    const body = {
      limit_usd: limit,
      ...(after.includesByok !== before.includesByok && { include_byok_in_budgets: after.includesByok }),
    };
    try {
      await (limit === null ? callApi(path, { method: 'DELETE' }) : callApi(path, { method: 'PUT', body }));
    } catch (error) {
      throw withInterval(error, interval);
    } finally {
      await refreshWorkspaces();
    }
  }
}

/** The budgets that are stored with a change that was made in a form, which may have begun with others. */
export const withChanged = (
  stored: Budgets,
  { before, after }: Readonly<Record<'before' | 'after', Budgets>>,
): Budgets => {
  const changed = Object.entries(after).filter(([name, value]) => value !== before[name as keyof Budgets]);
  return { ...stored, ...Object.fromEntries(changed) };
};

/** The gateway complains about the limit of one request, and the form has one for each interval. */
function withInterval(error: unknown, interval: Interval): unknown {
  if (!(error instanceof ApiError)) return error;
  const issues = error.issues.map((issue) => (issue.path === 'limit_usd' ? { ...issue, path: interval } : issue));
  const { status, errorType, metadata, retryAfterSeconds } = error;
  return new ApiError(error.message, { status, errorType, issues, metadata, retryAfterSeconds });
}

/**
 * The intervals whose budgets change, so that at no time a narrower budget is above a broader one, which the gateway
 * refuses: those that go, those that rise from the broadest on, those that fall from the narrowest on, those that are new.
 */
export function toOrder(before: Budgets, after: Budgets): readonly Interval[] {
  const kindOf = (interval: Interval): 'gone' | 'raised' | 'lowered' | 'new' | null => {
    const [old, next] = [before[interval], after[interval]];
    if (next === null) return old === null ? null : 'gone';
    if (old === null) return 'new';
    if (next === old) return before.includesByok === after.includesByok ? null : 'lowered';
    return next > old ? 'raised' : 'lowered';
  };
  const of = (kind: ReturnType<typeof kindOf>): readonly Interval[] => INTERVALS.filter((one) => kindOf(one) === kind);
  return [...of('gone'), ...of('raised').toReversed(), ...of('lowered'), ...of('new')];
}
