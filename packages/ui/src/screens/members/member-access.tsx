import type { KnownGroup, Member } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { workspacesQuery } from '../../api/queries.ts';
import { may } from '../../api/session.ts';
import { groupsOf, groupsQuery, toWorkspaceName } from '../../features/members/groups.ts';
import { roleOf } from '../../features/members/member-link.tsx';
import { memberPartMessages } from '../../features/members/messages.ts';
import { ResourceCard } from '../../features/resource-page/resource-page.tsx';
import { Facts } from '../../parts/facts.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { useLastingFailure } from '../../parts/messages/use-lasting-failure.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { membersMessages } from './messages.ts';
import { findOwnerLock, findRoleSource } from './role-rules.ts';

interface MemberAccessProps {
  readonly member: Member;
  readonly members: readonly Member[];
}

/** The role of a member in the organization and what gives it, and the groups that put them into workspaces. */
export function MemberAccess({ member, members }: MemberAccessProps) {
  const t = membersMessages().access;
  const groups = useQuery({ ...groupsQuery, enabled: may('listGroups') });
  const failure = useLastingFailure(groups);
  const role = roleOf(member);
  const source = findRoleSource(member, groups.data);
  const lock = findOwnerLock(member, members);
  // What gives the role is known with the groups.
  const isKnown = groups.data !== undefined || !may('listGroups') || failure !== null;
  const from = source === 'directory' ? t.byDirectory(member.scim?.roles?.join(', ') ?? '') : t.from[source ?? 'here'];
  return (
    <ResourceCard title={t.title}>
      <Facts
        facts={[
          [t.role, memberPartMessages().roles[role]],
          [t.source, isKnown ? from : '…'],
        ]}
      />
      <p className="mt-2 text-xs text-ink-faint">
        {memberPartMessages().roleHints[role]} {lock !== null && t.locks[lock]}
      </p>
      {may('listGroups') && (
        <>
          <h3 className="mt-4 mb-1 text-sm font-semibold">{t.groups}</h3>
          {groups.data === undefined && failure !== null ? (
            <NotLoaded what={t.groups} failure={t.groupsNotLoaded} query={groups} isFlush />
          ) : (
            <GroupList groups={groups.data && groupsOf(member.id, groups.data)} />
          )}
        </>
      )}
    </ResourceCard>
  );
}

function GroupList({ groups }: { readonly groups: readonly KnownGroup[] | undefined }) {
  const t = membersMessages().access;
  const { data: workspaces } = useQuery(workspacesQuery);
  if (groups === undefined) return <p className="text-sm text-ink-faint">…</p>;
  if (groups.length === 0) return <p className="text-sm text-ink-faint">{t.noGroups}</p>;
  return (
    <ul className="text-sm">
      {groups.map(({ id, display_name: name, workspaces: given }) => (
        <li key={id} className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line/60 py-1 last:border-0">
          <Link
            to="/members"
            search={{ view: 'groups', q: name }}
            className="min-w-0 flex-1 basis-32 break-words text-accent hover:underline"
          >
            {showControls(name)}
          </Link>
          <span className="min-w-0 break-words text-ink-soft">
            {given.length === 0
              ? t.nothing
              : given
                  .map(({ workspace_id: place, role }) =>
                    t.given(toWorkspaceName(place, workspaces), memberPartMessages().workspaceRoles[role]),
                  )
                  .join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
