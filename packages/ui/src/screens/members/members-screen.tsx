import type { Member } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, UsersRound } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';

import {
  allKeysQuery,
  guardrailsQuery,
  latestCallsQuery,
  memberAssignmentsQuery,
  membersQuery,
} from '../../api/queries.ts';
import { may } from '../../api/session.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import {
  LIST_KIND,
  ListBody,
  ListKinds,
  ListScreen,
  RowMenu,
  SearchField,
  useSearchChange,
} from '../../features/list-screen/list-screen.tsx';
import { listMessages } from '../../features/list-screen/messages.ts';
import { sortRows, type SortValues } from '../../features/list-screen/sort-rows.ts';
import { roleOf, toMemberName } from '../../features/members/member-link.tsx';
import { memberPartMessages } from '../../features/members/messages.ts';
import { formatUsd, toUsdColumn } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { EmptyState, Loading } from '../../parts/messages/states.tsx';
import type { Column, TableSort } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { MemberForm, RemoveMember } from './member-form.tsx';
import { membersMessages } from './messages.ts';

/** A member with what is known of their keys: null until those are loaded. */
interface MemberRow {
  readonly member: Member;
  readonly name: string;
  readonly keyCount: number | null;
  readonly monthUsd: number | null;
  readonly guardrail: string | null;
}

type Open = { readonly type: 'add' } | { readonly type: 'edit' | 'remove'; readonly member: Member };

const SORT_VALUES: SortValues<MemberRow> = {
  name: ({ name }) => name,
  email: ({ member }) => member.email || null,
  keys: ({ keyCount }) => keyCount,
  month: ({ monthUsd }) => monthUsd,
  guardrail: ({ guardrail }) => guardrail,
};

const GroupsScreen = lazy(async () => ({ default: (await import('./groups/groups-screen.tsx')).GroupsScreen }));

/** The members, or beside them the groups that bring them. */
export function MembersScreen() {
  const { view, q } = useSearch({ from: '/members' });
  const t = membersMessages();
  if (!may('listGroups')) return <MemberList />;
  const exact = { exact: true, includeSearch: true } as const;
  const isGroups = view === 'groups';
  const text = q === undefined ? {} : { q };
  const kinds = (
    <ListKinds label={t.kinds}>
      <Link to="/members" search={isGroups ? {} : text} activeOptions={exact} className={LIST_KIND}>
        {t.title}
      </Link>
      <Link
        to="/members"
        search={{ view: 'groups', ...(isGroups && text) }}
        activeOptions={exact}
        className={LIST_KIND}
      >
        {t.groups}
      </Link>
    </ListKinds>
  );
  if (!isGroups) return <MemberList kinds={kinds} />;
  return (
    <Suspense fallback={<Loading what={t.theGroups} />}>
      <GroupsScreen kinds={kinds} />
    </Suspense>
  );
}

/** All members, with what the keys of each have spent. */
function MemberList({ kinds }: { readonly kinds?: ReactNode }) {
  const t = membersMessages();
  const navigate = useNavigate();
  const query = useQuery(membersQuery);
  const rows = useMemberRows(query.data);
  const [open, setOpen] = useState<Open | null>(null);
  const { q: text } = useSearch({ from: '/members' });
  const change = useSearchChange<{ q: string }>('/members');
  const setText = (q: string | undefined): void => change({ q });
  const [sort, setSort] = useState<TableSort>({ by: 'name', order: 'asc' });
  const search = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.search.shortcut, group: listMessages().thisScreen }, () => search.current?.focus());
  const columns = useMemo(() => toColumns(rows ?? [], setOpen), [rows]);
  const shown = useMemo(() => {
    const wanted = text?.trim().toLowerCase() ?? '';
    const found = rows?.filter(({ member, name, guardrail }) =>
      [name, member.email, member.id, guardrail ?? ''].join('\n').toLowerCase().includes(wanted),
    );
    return found && sortRows(found, sort, SORT_VALUES);
  }, [rows, text, sort]);
  const add = may('createMember') && (
    <Button look="primary" icon={<Plus size={15} />} onClick={() => setOpen({ type: 'add' })}>
      {t.add}
    </Button>
  );
  const hasMembers = rows !== undefined && rows.length > 0;
  return (
    <ListScreen
      title={t.title}
      actions={
        <>
          {kinds}
          {add}
        </>
      }
      filters={
        hasMembers && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchField
              ref={search}
              label={t.search.label}
              placeholder={t.search.placeholder}
              value={text}
              onChange={setText}
            />
            <p className="text-xs text-ink-faint max-sm:hidden">{t.utc}</p>
          </div>
        )
      }
      opened={open !== null && <OpenDialog open={open} onClose={() => setOpen(null)} />}
    >
      <ListBody
        what={t.what}
        query={query}
        rows={shown}
        empty={
          hasMembers ? (
            <EmptyState title={t.noMatch.title}>
              <Button onClick={() => setText(undefined)}>{t.noMatch.clear}</Button>
            </EmptyState>
          ) : (
            <EmptyState icon={<UsersRound size={22} />} title={t.empty.title}>
              <p>{t.empty.text}</p>
              {may('createMember') && <Button onClick={() => setOpen({ type: 'add' })}>{t.add}</Button>}
            </EmptyState>
          )
        }
      >
        {(loaded) => (
          <VirtualTable
            label={t.title}
            rows={loaded}
            columns={columns}
            idOf={({ member }) => member.id}
            onOpen={({ member }) => void navigate({ to: '/members/$id', params: { id: member.id } })}
            sort={sort}
            onSort={setSort}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

function OpenDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  if (open.type === 'remove') return <RemoveMember member={open.member} onClose={onClose} />;
  return <MemberForm existing={open.type === 'edit' ? open.member : undefined} onClose={onClose} />;
}

function useMemberRows(members: readonly Member[] | undefined): readonly MemberRow[] | undefined {
  const { data: keys } = useQuery(allKeysQuery);
  const { data: guardrails } = useQuery(guardrailsQuery);
  const { data: assignments } = useQuery(memberAssignmentsQuery);
  return useMemo(
    () =>
      members?.map((member) => {
        const own = keys?.filter(({ creator_user_id: owner }) => owner === member.id);
        const assigned = assignments?.find(({ user_id: user }) => user === member.id)?.guardrail_id;
        return {
          member,
          name: toMemberName(member),
          keyCount: own?.length ?? null,
          monthUsd: own?.reduce((sum, { usage_monthly: usd }) => sum + usd, 0) ?? null,
          guardrail: guardrails?.find(({ id }) => id === assigned)?.name ?? null,
        };
      }),
    [members, keys, guardrails, assignments],
  );
}

function toColumns(rows: readonly MemberRow[], onOpen: (open: Open) => void): readonly Column<MemberRow>[] {
  const t = membersMessages();
  const writeUsd = toUsdColumn(rows.map(({ monthUsd }) => monthUsd));
  return [
    {
      id: 'name',
      header: t.columns.name,
      width: 'minmax(140px,2fr)',
      narrow: { width: 'minmax(100px,2fr)' },
      sort: 'name',
      cell: ({ name, member }) => (
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {member.active === false && <Badge tone="caution">{t.deactivated}</Badge>}
        </span>
      ),
    },
    {
      id: 'email',
      leaves: 2,
      header: t.columns.email,
      width: 'minmax(180px,2fr)',
      sort: 'email',
      cell: ({ member: { email } }) => email || <span className="text-ink-faint">—</span>,
    },
    {
      id: 'role',
      leaves: 3,
      header: t.columns.role,
      width: 'minmax(116px,0.6fr)',
      cell: ({ member }) => {
        const role = roleOf(member);
        const isPlain = role === 'developer' || role === 'viewer';
        return <span className={isPlain ? 'text-ink-faint' : undefined}>{memberPartMessages().roles[role]}</span>;
      },
    },
    {
      id: 'keys',
      leaves: 4,
      header: t.columns.keys,
      width: 'minmax(84px,0.4fr)',
      isNumeric: true,
      sort: 'keys',
      cell: ({ keyCount }) => (keyCount === null ? '' : formatCount(keyCount)),
    },
    {
      id: 'month',
      header: t.columns.month,
      width: 'minmax(112px,0.6fr)',
      isNumeric: true,
      sort: 'month',
      narrow: { width: '80px', cell: ({ monthUsd }) => formatUsd(monthUsd) },
      cell: ({ monthUsd }) => writeUsd(monthUsd),
    },
    {
      id: 'guardrail',
      leaves: 5,
      header: t.columns.guardrail,
      width: 'minmax(120px,1fr)',
      sort: 'guardrail',
      cell: ({ guardrail }) => guardrail ?? <span className="text-ink-faint">{t.none}</span>,
    },
    {
      id: 'last',
      leaves: 1,
      header: t.columns.last,
      width: 'minmax(130px,0.7fr)',
      cell: ({ member }) => <LastRequest id={member.id} />,
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t.columns.actions}</span>,
      width: '44px',
      narrow: { width: '32px' },
      cell: ({ member, name }) =>
        may('updateMember') && (
          <RowMenu
            label={t.actionsFor(name)}
            items={[
              { label: t.edit, onSelect: () => onOpen({ type: 'edit', member }) },
              { label: t.remove, isDangerous: true, onSelect: () => onOpen({ type: 'remove', member }) },
            ]}
          />
        ),
    },
  ];
}

/** Only rows in sight ask, and once. */
function LastRequest({ id }: { id: string }) {
  const { data } = useQuery({ ...latestCallsQuery({ member: id }), refetchInterval: false });
  if (data === undefined) return null;
  const at = data.data[0]?.created_at;
  return at === undefined ? <span className="text-ink-faint">{membersMessages().never}</span> : <Moment at={at} />;
}
