import type { AnyKey, Member } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus, Users } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';

import { allKeysQuery, guardrailsQuery, memberAssignmentsQuery, membersQuery } from '../../api/queries.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { ListBody, ListScreen, RowMenu, SearchField } from '../../features/list-screen/list-screen.tsx';
import { listMessages } from '../../features/list-screen/messages.ts';
import { sortRows, type SortValues } from '../../features/list-screen/sort-rows.ts';
import { toMemberName } from '../../features/members/member-link.tsx';
import { formatUsd, formatUsdInColumn } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column, TableSort } from '../../parts/table/table-row.tsx';
import { toLeaving } from '../../parts/table/to-fitting.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { MemberForm, MemberRemoval } from './member-form.tsx';
import { membersMessages } from './messages.ts';

interface MemberRow {
  readonly member: Member;
  readonly name: string;
  readonly keys: readonly AnyKey[];
  readonly guardrail: string | undefined;
}

type OpenDialog =
  | { readonly type: 'add' }
  | { readonly type: 'edit'; readonly member: Member }
  | { readonly type: 'remove'; readonly member: Member };

const spendOf = ({ keys }: MemberRow, period: 'usage' | 'usage_daily' | 'usage_monthly'): number =>
  keys.reduce((total, key) => total + key[period], 0);

const SORT_VALUES: SortValues<MemberRow> = {
  name: ({ name }) => name.toLowerCase(),
  keys: ({ keys }) => keys.length,
  today: (row) => spendOf(row, 'usage_daily'),
  month: (row) => spendOf(row, 'usage_monthly'),
  total: (row) => spendOf(row, 'usage'),
};
const FIRST_SORT: TableSort = { by: 'name', order: 'asc' };
/** Left out where there is no room for them, the first of these first. */
const LEAVING = ['total', 'today', 'role', 'guardrail', 'email', 'keys'];

/** The members with what their keys spend, and what applies to them. */
export function MembersScreen() {
  const t = membersMessages();
  const navigate = useNavigate();
  const query = useQuery(membersQuery);
  const rows = useRows(query.data);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const [text, setText] = useState<string | undefined>();
  const [sort, setSort] = useState<TableSort>(FIRST_SORT);
  const search = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.search.shortcut, group: listMessages().thisScreen }, () => search.current?.focus());
  const columns = useMemo(() => toColumns(setOpen), []);
  const shown = useMemo(() => {
    const wanted = text?.trim().toLowerCase() ?? '';
    const found = rows?.filter(({ name, member }) =>
      `${name}\n${member.email}\n${member.id}`.toLowerCase().includes(wanted),
    );
    return found && sortRows(found, sort, SORT_VALUES);
  }, [rows, text, sort]);
  const add = (
    <Button look="primary" icon={<Plus size={15} />} onClick={() => setOpen({ type: 'add' })}>
      {t.add}
    </Button>
  );
  return (
    <ListScreen
      title={t.title}
      actions={add}
      filters={
        rows !== undefined &&
        rows.length > 0 && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchField
              ref={search}
              label={t.search.label}
              placeholder={t.search.placeholder}
              value={text}
              onChange={setText}
            />
            <p className="text-xs text-ink-faint">{t.utc}</p>
          </div>
        )
      }
      opened={open !== null && <Opened open={open} onClose={() => setOpen(null)} />}
    >
      <ListBody
        what={t.what}
        query={query}
        rows={shown}
        empty={
          rows?.length === 0 ? (
            <EmptyState icon={<Users size={22} />} title={t.empty.title}>
              <p>{t.empty.text}</p>
              {add}
            </EmptyState>
          ) : (
            <EmptyState title={t.noMatch.title}>
              <Button onClick={() => setText(undefined)}>{t.noMatch.clear}</Button>
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

function Opened({ open, onClose }: { readonly open: OpenDialog; readonly onClose: () => void }) {
  switch (open.type) {
    case 'add':
      return <MemberForm onClose={onClose} />;
    case 'edit':
      return <MemberForm existing={open.member} onClose={onClose} />;
    case 'remove':
      return <MemberRemoval member={open.member} onClose={onClose} />;
  }
}

function useRows(members: readonly Member[] | undefined): readonly MemberRow[] | undefined {
  const { data: keys } = useQuery(allKeysQuery);
  const { data: assignments } = useQuery(memberAssignmentsQuery);
  const { data: guardrails } = useQuery(guardrailsQuery);
  return useMemo(() => {
    const names = new Map(guardrails?.map(({ id, name }) => [id, name]));
    const assigned = new Map(assignments?.map(({ user_id: user, guardrail_id: id }) => [user, names.get(id)]));
    return members?.map((member) => ({
      member,
      name: toMemberName(member),
      keys: keys?.filter(({ creator_user_id: owner }) => owner === member.id) ?? [],
      guardrail: assigned.get(member.id),
    }));
  }, [members, keys, assignments, guardrails]);
}

function toColumns(onOpen: (open: OpenDialog) => void): readonly Column<MemberRow>[] {
  const t = membersMessages();
  const toSpend = (id: 'today' | 'month' | 'total', period: Parameters<typeof spendOf>[1]): Column<MemberRow> => ({
    id,
    header: t.columns[id],
    width: '110px',
    isNumeric: true,
    sort: id,
    narrow: { width: '80px', cell: (row) => formatUsd(spendOf(row, period)) },
    cell: (row) => formatUsdInColumn(spendOf(row, period)),
  });
  return toLeaving(
    [
      {
        id: 'name',
        header: t.columns.name,
        width: 'minmax(180px,2fr)',
        narrow: { width: 'minmax(120px,2fr)' },
        sort: 'name',
        cell: ({ name, member }) => (
          <span className="truncate font-medium" title={member.id}>
            {name}
          </span>
        ),
      },
      { id: 'email', header: t.columns.email, width: 'minmax(160px,2fr)', cell: ({ member }) => member.email || '—' },
      {
        id: 'role',
        header: t.columns.role,
        width: '110px',
        cell: ({ member }) => t.roles[member.role === 'org:admin' ? 'admin' : 'member'],
      },
      {
        id: 'keys',
        header: t.columns.keys,
        width: '90px',
        isNumeric: true,
        sort: 'keys',
        cell: ({ keys }) => formatCount(keys.length),
      },
      toSpend('today', 'usage_daily'),
      toSpend('month', 'usage_monthly'),
      toSpend('total', 'usage'),
      {
        id: 'guardrail',
        header: t.columns.guardrail,
        width: 'minmax(110px,1fr)',
        cell: ({ guardrail }) => guardrail ?? <span className="text-ink-faint">{t.page.none}</span>,
      },
      {
        id: 'actions',
        header: <span className="sr-only">{t.actions.of('')}</span>,
        width: '44px',
        narrow: { width: '32px' },
        cell: ({ name, member }) => (
          <RowMenu
            label={t.actions.of(name)}
            items={[
              { label: t.actions.edit, onSelect: () => onOpen({ type: 'edit', member }) },
              { label: t.actions.remove, isDangerous: true, onSelect: () => onOpen({ type: 'remove', member }) },
            ]}
          />
        ),
      },
    ],
    LEAVING,
  );
}
