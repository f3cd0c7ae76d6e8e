import type { KnownGroup, Workspace } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';

import { workspacesQuery } from '../../../api/queries.ts';
import { toBaseUrl } from '../../../app/base-url.ts';
import { useShortcut } from '../../../app/shortcuts.ts';
import { ListBody, ListScreen, SearchField, useSearchChange } from '../../../features/list-screen/list-screen.tsx';
import { listMessages } from '../../../features/list-screen/messages.ts';
import { groupsQuery, toWorkspaceName } from '../../../features/members/groups.ts';
import { memberPartMessages } from '../../../features/members/messages.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { CopyButton } from '../../../parts/controls/copy-button.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import type { Column } from '../../../parts/table/table-row.tsx';
import { VirtualTable } from '../../../parts/table/virtual-table.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { GroupPanel } from './group-panel.tsx';
import { groupsMessages } from './groups-messages.ts';

/** Groups of people, who is in them and what each gives. `kinds` leads back to the members. */
export function GroupsScreen({ kinds }: { readonly kinds: ReactNode }) {
  const t = groupsMessages();
  const query = useQuery(groupsQuery);
  const { data: workspaces } = useQuery(workspacesQuery);
  const [openId, setOpenId] = useState<string>();
  const { q: text } = useSearch({ from: '/members' });
  const change = useSearchChange<{ q: string }>('/members');
  const setText = (q: string | undefined): void => change({ q });
  const search = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.search.shortcut, group: listMessages().thisScreen }, () => search.current?.focus());
  const columns = useMemo(() => toColumns(workspaces), [workspaces]);
  const shown = useMemo(() => {
    const wanted = text?.trim().toLowerCase() ?? '';
    return query.data?.filter(({ display_name: name }) => name.toLowerCase().includes(wanted));
  }, [query.data, text]);
  const opened = query.data?.find((group) => toRowId(group) === openId);
  const hasGroups = (query.data?.length ?? 0) > 0;
  return (
    <ListScreen
      title={t.title}
      actions={kinds}
      filters={
        <div className="flex">
          <SearchField
            ref={search}
            label={t.search.label}
            placeholder={t.search.placeholder}
            value={text}
            onChange={setText}
          />
        </div>
      }
      opened={
        opened !== undefined && (
          <GroupPanel key={openId} group={opened} workspaces={workspaces ?? []} onClose={() => setOpenId(undefined)} />
        )
      }
    >
      <ListBody
        what={t.what}
        query={query}
        rows={shown}
        empty={
          hasGroups ? (
            <EmptyState title={t.noMatch.title}>
              <Button onClick={() => setText(undefined)}>{t.noMatch.clear}</Button>
            </EmptyState>
          ) : (
            <EmptyState icon={<UsersRound size={22} />} title={t.empty.title}>
              <p>{t.empty.text}</p>
              <p>{t.empty.how}</p>
              <code className="break-all">{toDirectoryUrl()}</code>
              <CopyButton text={toDirectoryUrl} label={t.empty.copy} />
            </EmptyState>
          )
        }
      >
        {(loaded) => (
          <VirtualTable
            label={t.title}
            rows={loaded}
            columns={columns}
            idOf={toRowId}
            openId={openId}
            onOpen={(group) => setOpenId(toRowId(group))}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

/** Where a directory sends people and groups. */
const toDirectoryUrl = (): string => toBaseUrl().replace(/api\/v1$/, 'scim/v2');

/** A directory and the configuration may have groups of the same id. */
const toRowId = ({ source, id }: KnownGroup): string => `${source} ${id}`;

function toColumns(workspaces: readonly Workspace[] | undefined): readonly Column<KnownGroup>[] {
  const t = groupsMessages();
  const faint = (text: string) => <span className="text-ink-faint">{text}</span>;
  return [
    {
      id: 'name',
      header: t.columns.name,
      width: 'minmax(160px,2fr)',
      narrow: { width: 'minmax(110px,2fr)' },
      cell: ({ display_name: name }) => <span className="font-medium">{showControls(name)}</span>,
    },
    {
      id: 'source',
      leaves: 1,
      header: t.columns.source,
      width: 'minmax(110px,0.5fr)',
      cell: ({ source }) => <Badge>{t.sources[source]}</Badge>,
    },
    {
      id: 'members',
      header: t.columns.members,
      width: 'minmax(92px,0.4fr)',
      narrow: { width: '76px' },
      isNumeric: true,
      cell: ({ member_ids: ids }) => (ids === null ? faint('—') : formatCount(ids.length)),
    },
    {
      id: 'gives',
      header: t.columns.gives,
      width: 'minmax(180px,3fr)',
      narrow: { width: 'minmax(120px,2fr)' },
      cell({ role, workspaces: given }) {
        const parts = [
          ...(role === null ? [] : [memberPartMessages().roles[role]]),
          ...given.map(({ workspace_id: id, role: inWorkspace }) =>
            t.given(toWorkspaceName(id, workspaces), memberPartMessages().workspaceRoles[inWorkspace]),
          ),
        ];
        return parts.length === 0 ? faint(t.nothing) : <span title={parts.join(', ')}>{parts.join(', ')}</span>;
      },
    },
  ];
}
