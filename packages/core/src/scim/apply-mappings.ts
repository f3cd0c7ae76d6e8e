import { higherRole, withMappedRoles } from '../auth/memberships.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Membership, Store } from '../stores/store.ts';
import type { GroupRecord } from '../wire/scim-groups.ts';

export interface MappingParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'catchUpTables' | 'scimGroups' | 'workspaces'>;
}

type Roles = Map<string, Membership['role']>;

/** What mappings give, by workspace and member. */
function rolesByWorkspace(groups: readonly GroupRecord[]): ReadonlyMap<string, Roles> {
  const found = new Map<string, Roles>();
  for (const { members, mappings } of groups) {
    for (const { workspaceId, role } of mappings) {
      const roles: Roles = found.get(workspaceId) ?? new Map();
      found.set(workspaceId, roles);
      for (const id of members) roles.set(id, higherRole(role, roles.get(id) ?? role));
    }
  }
  return found;
}

/** Maximum number of rounds. While groups keep changing, the last of those who change them finishes the workspaces. */
const MAX_ROUNDS = 5;

/**
 * Brings the members of all workspaces to what groups and mappings say; called after each change of these. What was
 * missed, because a process had died between the two, is made up for by the next.
 */
export async function applyMappings({ store, platform }: MappingParts): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Otherwise what another process has changed a moment ago would be taken back.
    await store.catchUpTables?.();
    const groups = await store.scimGroups.list();
    const roles = rolesByWorkspace(groups);
    const createdAt = new Date(platform.now()).toISOString();
    for (const workspace of await store.workspaces.list()) {
      const mapped = roles.get(workspace.id) ?? new Map<string, Membership['role']>();
      if (withMappedRoles(workspace, mapped, createdAt) === workspace) continue;
      await store.workspaces.update(workspace.id, (record) => withMappedRoles(record, mapped, createdAt));
    }
    const now = await store.scimGroups.list();
    if (now === groups || JSON.stringify(now) === JSON.stringify(groups)) return;
  }
}
