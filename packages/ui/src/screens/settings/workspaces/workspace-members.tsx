import type { KnownGroup, Member, Workspace, WorkspaceRoleEntry } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';

import { membersQuery } from '../../../api/queries.ts';
import { may } from '../../../api/session.ts';
import { groupsOf, groupsQuery, isOfSignIn } from '../../../features/members/groups.ts';
import { MemberLink, toMemberName } from '../../../features/members/member-link.tsx';
import { memberPartMessages } from '../../../features/members/messages.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Select } from '../../../parts/controls/select.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { showToast, showUndo } from '../../../parts/messages/toast-store.ts';
import { showControls } from '../../../parts/text/show-controls.ts';
import { AddMembers } from './add-members.tsx';
import { workspaceMemberMessages } from './member-messages.ts';
import {
  changeWorkspaceRoles,
  isDefaultWorkspace,
  type RoleChange,
  type WorkspaceRole,
  workspaceRolesQuery,
} from './workspace-queries.ts';

/** Who belongs to a workspace, with which role, and what gives it. A change is made at once. */
export function WorkspaceMembers({ workspace }: { workspace: Workspace }) {
  const t = workspaceMemberMessages();
  return (
    <section aria-label={t.title} className="card flex flex-col gap-3 p-4">
      <h3 className="text-base font-semibold">{t.title}</h3>
      {isDefaultWorkspace(workspace) ? (
        <p className="text-sm text-ink-soft">
          {t.everyone}{' '}
          {may('listMembers') && (
            <Link to="/members" className={LINK}>
              {t.openMembers}
            </Link>
          )}
        </p>
      ) : (
        <RolesOf id={workspace.id} />
      )}
    </section>
  );
}

const LINK = 'text-accent underline';

function RolesOf({ id }: { readonly id: string }) {
  const t = workspaceMemberMessages();
  const present = useQuery(workspaceRolesQuery(id));
  const everyone = useQuery(membersQuery);
  const groups = useQuery(groupsQuery);
  const queries = [present, everyone, groups];
  const failed = queries.find(({ data: loaded, error }) => loaded === undefined || error !== null) ?? present;
  const data =
    present.data !== undefined && everyone.data !== undefined && groups.data !== undefined
      ? { present: present.data, everyone: everyone.data, groups: groups.data }
      : undefined;
  return (
    <Loaded what={t.what} query={failed} data={data} isFlush>
      {(loaded) => <RoleList id={id} {...loaded} />}
    </Loaded>
  );
}

interface RoleListProps {
  readonly id: string;
  readonly present: readonly WorkspaceRoleEntry[];
  readonly everyone: readonly Member[];
  /** Of the organization, where they may be read. */
  readonly groups: readonly KnownGroup[];
}

interface Change {
  readonly made: RoleChange;
  /** What takes it back; null where nothing does. */
  readonly undo: RoleChange | null;
}

const PAGE = 100;

function RoleList({ id, present, everyone, groups }: RoleListProps) {
  const t = workspaceMemberMessages();
  const [count, setCount] = useState(PAGE);
  const change = useMutation({
    mutationFn: ({ made }: Change) => changeWorkspaceRoles(id, made),
    onSuccess(_, { undo }) {
      if (undo === null) showToast({ tone: 'good', title: t.saved });
      else showUndo({ title: t.saved, undo: () => changeWorkspaceRoles(id, undo), undone: t.restored });
    },
  });
  const byId = new Map(everyone.map((member) => [member.id, member]));
  const giving = groups.filter(({ workspaces }) => workspaces.some(({ workspace_id: place }) => place === id));
  const deciding = giving.filter(isOfSignIn).map(({ display_name: name }) => name);
  // What is under way is shown as if it had been done.
  const wanted = change.isPending ? change.variables.made : {};
  const rows = present
    .filter(({ user_id: userId, group_role: given }) => wanted[userId] !== null || given !== null)
    .map((entry) => toRow({ ...entry, role: wanted[entry.user_id] ?? entry.role }, byId.get(entry.user_id)))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const rest = rows.length - count;
  return (
    <>
      <p className="max-w-prose text-sm text-ink-soft">{t.about}</p>
      {deciding.length > 0 && <p className="max-w-prose text-sm text-ink-soft">{t.bySignIn(deciding)}</p>}
      {rows.length === 0 ? (
        <p className="text-sm text-ink-faint">{t.none}</p>
      ) : (
        <ul className="flex max-w-3xl flex-col text-sm">
          {rows.slice(0, count).map((row) => (
            <RoleRow
              key={row.entry.user_id}
              row={row}
              through={groupsOf(row.entry.user_id, giving)}
              onChange={(role) => {
                if (change.isPending) return;
                const made = { [row.entry.user_id]: role };
                change.mutate({ made, undo: toUndo(made, present) });
              }}
            />
          ))}
        </ul>
      )}
      {rest > 0 && (
        <Button className="self-start" onClick={() => setCount(count + PAGE)}>
          {t.more(formatCount(Math.min(rest, PAGE)))}
        </Button>
      )}
      {change.error !== null && <UnsavedPanel error={change.error} onRetry={() => change.mutate(change.variables)} />}
      {rows.some(({ entry }) => entry.group_role !== null) && (
        <p className="max-w-prose text-xs text-ink-faint">
          {t.byGroup}{' '}
          {may('listGroups') && (
            <Link to="/members" search={{ view: 'groups' }} className={LINK}>
              {t.openGroups}
            </Link>
          )}
        </p>
      )}
      {may('setWorkspaceRole') ? (
        <AddMembers id={id} present={present} everyone={everyone} />
      ) : (
        <p className="text-xs text-ink-faint">{t.readOnly}</p>
      )}
    </>
  );
}

interface Row {
  readonly entry: WorkspaceRoleEntry;
  readonly name: string;
  readonly member: Member | undefined;
}

const toRow = (entry: WorkspaceRoleEntry, member: Member | undefined): Row => ({
  entry,
  member,
  name: member === undefined ? entry.user_id : toMemberName(member),
});

/**
 * What takes a change back. Null where that cannot be: a role by hand beside that of a group is changed here, and only
 * taken away with the group.
 */
function toUndo(made: RoleChange, present: readonly WorkspaceRoleEntry[]): RoleChange | null {
  const before = new Map(present.map(({ user_id: userId, own_role: own }) => [userId, own]));
  const roles = Object.keys(made).map((userId) => [userId, before.get(userId) ?? null] as const);
  return roles.every(([, own]) => own !== null) ? Object.fromEntries(roles) : null;
}

interface RoleRowProps {
  readonly row: Row;
  /** Groups that put the member here, as far as they may be read. */
  readonly through: readonly KnownGroup[];
  /** Null removes the member. */
  readonly onChange: (role: WorkspaceRole | null) => void;
}

const RANKS: readonly WorkspaceRole[] = ['viewer', 'member', 'administrator'];

function RoleRow({ row: { entry, name, member }, through, onChange }: RoleRowProps) {
  const t = workspaceMemberMessages();
  const { workspaceRoles } = memberPartMessages();
  const { user_id: userId, role, own_role: own, group_role: given } = entry;
  // A role below that of a group would change nothing.
  const possible = RANKS.slice(given === null ? 0 : RANKS.indexOf(given)).toReversed();
  const mayChange = may('setWorkspaceRole');
  const note = given === null ? member?.email : null;
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/60 py-1.5 last:border-0">
      <div className="min-w-0 flex-1 basis-36">
        <p className="font-medium break-words">
          {may('listMembers') ? <MemberLink id={userId} members={member && [member]} /> : name}
        </p>
        {note !== null && note !== '' && note !== name && (
          <p className="truncate text-xs text-ink-faint" title={note}>
            {note}
          </p>
        )}
        {given !== null && (
          <p className="text-xs break-words text-ink-faint">
            {t.through(through.length)}{' '}
            {through.map(({ id, display_name: group }, at) => (
              <span key={id}>
                {at > 0 && ', '}
                <Link to="/members" search={{ view: 'groups', q: group }} className={LINK}>
                  {showControls(group)}
                </Link>
              </span>
            ))}
            {own !== null && ` · ${t.alsoByHand}`}
          </p>
        )}
      </div>
      {mayChange && possible.length > 1 ? (
        <Select
          label={t.roleOf(name)}
          className="w-36"
          value={role}
          options={possible.map((one) => [one, workspaceRoles[one]] as const)}
          onChange={onChange}
        />
      ) : (
        <span className="w-36 px-2.5 text-ink-soft">{workspaceRoles[role]}</span>
      )}
      {mayChange &&
        (given === null ? (
          <Button
            look="quiet"
            className="w-9"
            icon={<X size={15} />}
            aria-label={t.remove(name)}
            title={t.remove(name)}
            onClick={() => onChange(null)}
          />
        ) : (
          <span className="w-9" />
        ))}
    </li>
  );
}
