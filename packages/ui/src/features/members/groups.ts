import type { KnownGroup, Workspace } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { readAll } from '../../api/queries.ts';
import { ifPermitted } from '../../api/session.ts';

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ifPermitted('listGroups', ({ signal }) => readAll<KnownGroup>('/admin/v1/groups', 100, signal), []),
});

/** The name of a workspace; its id where that is all that is known. */
export const toWorkspaceName = (id: string, workspaces: readonly Workspace[] | undefined): string =>
  workspaces?.find((workspace) => workspace.id === id)?.name ?? id;

/** Groups of the directory that a member is in. */
export const groupsOf = (member: string, groups: readonly KnownGroup[]): readonly KnownGroup[] =>
  groups.filter(({ member_ids: ids }) => ids?.includes(member) === true);

/** Groups of the configuration: what they give comes, and goes, at each sign-in. */
export const isOfSignIn = ({ source }: KnownGroup): boolean => source === 'sign_in';
