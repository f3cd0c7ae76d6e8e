import type { KnownGroup } from '@model-gateway/core/wire';

import { callApi } from '../../../api/call-api.ts';
import { workspacesQuery } from '../../../api/queries.ts';
import { queryClient } from '../../../api/query-client.ts';
import { groupsQuery } from '../../../features/members/groups.ts';

export type MappingRole = 'admin' | 'member';

/** What the wire of mappings calls a role. */
export const toMappingRole = (role: KnownGroup['workspaces'][number]['role']): MappingRole =>
  role === 'administrator' ? 'admin' : 'member';

/** Who is in a workspace changes with what groups give. */
async function refresh(): Promise<void> {
  await Promise.all([groupsQuery, workspacesQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
}

const PATH = '/api/v1/scim/group-mappings';

const change = async (path: string, call: Parameters<typeof callApi>[1]): Promise<void> => {
  try {
    await callApi(path, call);
  } finally {
    await refresh();
  }
};

export const addMapping = (groupId: string, workspaceId: string, role: MappingRole): Promise<void> =>
  change(PATH, { method: 'POST', body: { scim_group_id: groupId, workspace_id: workspaceId, role } });

export const changeMapping = (id: string, role: MappingRole): Promise<void> =>
  change(`${PATH}/${id}`, { method: 'PATCH', body: { role } });

export const removeMapping = (id: string, keepMembers: boolean): Promise<void> =>
  change(`${PATH}/${id}`, { method: 'DELETE', query: { keep_members: keepMembers } });
