import type { AnyKey } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { guardrailsQuery, keyAssignmentsQuery, memberAssignmentsQuery } from '../../api/queries.ts';
import { isDefault } from '../../features/guardrails/is-default.ts';

interface KeyGuardrail {
  readonly scope: 'api-key' | 'member' | 'workspace';
  readonly name: string;
}

type Owned = Pick<AnyKey, 'hash' | 'creator_user_id' | 'workspace_id' | 'management'>;

/** Finds the guardrails that apply to a key: its own, that of its member, and the default of its workspace. */
export function useKeyGuardrails(): (key: Owned) => readonly KeyGuardrail[] {
  const { data: guardrails } = useQuery(guardrailsQuery);
  const { data: ofKeys } = useQuery(keyAssignmentsQuery);
  const { data: ofMembers } = useQuery(memberAssignmentsQuery);
  return useMemo(() => {
    const names = new Map(guardrails?.map(({ id, name }) => [id, name]));
    const byKey = new Map(ofKeys?.map(({ key_hash: hash, guardrail_id: id }) => [hash, names.get(id)]));
    const byMember = new Map(ofMembers?.map(({ user_id: user, guardrail_id: id }) => [user, names.get(id)]));
    const byWorkspace = new Map(
      guardrails?.filter(isDefault).map(({ workspace_id: workspace, name }) => [workspace, name]),
    );
    return ({ hash, creator_user_id: member, workspace_id: workspace, management }) => {
      // They call no models.
      if (management) return [];
      const layers = [
        ['api-key', byKey.get(hash)],
        ['member', member === null ? undefined : byMember.get(member)],
        ['workspace', byWorkspace.get(workspace)],
      ] as const;
      return layers.flatMap(([scope, name]) => (name === undefined ? [] : [{ scope, name }]));
    };
  }, [guardrails, ofKeys, ofMembers]);
}
