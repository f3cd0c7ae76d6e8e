import type { Destination } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus, Send } from 'lucide-react';
import { useState } from 'react';

import {
  type DestinationStatus,
  changeDestination,
  deliveriesQuery,
  destinationsQuery,
  testDestination,
} from '../../features/destinations/destination-queries.ts';
import { ListBody, ListScreen, RowMenu } from '../../features/list-screen/list-screen.tsx';
import { formatCount } from '../../format/quantity.ts';
import { formatFull } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { showToast, showUndo, showFailure } from '../../parts/messages/toast-store.ts';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { DESTINATION_TYPES } from './destination-draft.ts';
import { DestinationPanel } from './destination-panel.tsx';
import type { DestinationSearch } from './destination-search.ts';
import { NewDestination } from './new-destination.tsx';

export function DestinationsScreen() {
  const { open, tab = 'where' } = useSearch({ from: '/destinations' });
  const navigate = useNavigateWithin('/destinations');
  const [isCreating, setIsCreating] = useState(false);
  const query = useQuery(destinationsQuery);
  const destinations = query.data;
  const show = (search: DestinationSearch): void => void navigate({ search });
  const columns = useColumns(show);
  const opened = destinations?.find(({ id }) => id === open);
  const create = (): void => setIsCreating(true);
  return (
    <ListScreen
      title="Destinations"
      note="Send finished requests to your observability tools, without slowing them down."
      actions={
        <Button look="primary" icon={<Plus size={15} />} onClick={create}>
          New destination
        </Button>
      }
      opened={
        <>
          {opened !== undefined && (
            <DestinationPanel
              key={opened.id}
              destination={opened}
              tab={tab}
              onTab={(next) => show({ open: opened.id, tab: next })}
              onClose={() => show({})}
            />
          )}
          {isCreating && (
            <NewDestination
              onClose={() => setIsCreating(false)}
              onCreated={(id) => {
                setIsCreating(false);
                show({ open: id });
              }}
            />
          )}
        </>
      }
    >
      <ListBody what="destinations" query={query} rows={destinations} empty={<NoDestinations onCreate={create} />}>
        {(rows) => (
          <VirtualTable
            label="Destinations"
            rows={rows}
            columns={columns}
            idOf={({ id }) => id}
            openId={open}
            onOpen={({ id }) => show({ open: id, tab })}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

function NoDestinations({ onCreate }: { onCreate: () => void }) {
  return (
    <EmptyState icon={<Send size={22} />} title="No destinations yet">
      <p>Export requests to a webhook, an OTel collector, Langfuse or S3.</p>
      <Button onClick={onCreate}>New destination</Button>
    </EmptyState>
  );
}

function useColumns(show: (search: DestinationSearch) => void): readonly Column<Destination>[] {
  const client = useQueryClient();
  const { data: log } = useQuery(deliveriesQuery());
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: Destination) => changeDestination(id, { enabled: !enabled }),
    onSuccess: (_, { id, name, enabled }) => {
      const refresh = () => client.invalidateQueries({ queryKey: destinationsQuery.queryKey });
      showUndo({
        title: enabled ? `${name} paused` : `${name} resumed`,
        async undo() {
          await changeDestination(id, { enabled });
          await refresh();
        },
        undone: enabled ? `${name} resumed` : `${name} paused`,
      });
      return refresh();
    },
    onError: (failure) => showFailure('Not changed', failure),
  });
  const test = useMutation({
    mutationFn: async ({ id, name }: Destination) => ({ name, ...(await testDestination(id)) }),
    onSuccess: ({ name, success, result }) =>
      showToast({
        tone: success ? 'good' : 'bad',
        title: `${name}: ${success ? 'test delivered' : 'test failed'}`,
        detail: result,
      }),
    onError: (failure) => showFailure('The test could not run', failure),
  });
  return [
    ...FACT_COLUMNS,
    ...toStatusColumns((id) => log?.destinations.find(({ destination_id: of }) => of === id)),
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: '44px',
      cell: (destination: Destination) => (
        <RowMenu
          label={`Actions for ${destination.name}`}
          items={[
            { label: 'Test', onSelect: () => test.mutate(destination) },
            { label: destination.enabled ? 'Pause' : 'Resume', onSelect: () => toggle.mutate(destination) },
            { label: 'Delivery log', onSelect: () => show({ open: destination.id, tab: 'log' }) },
          ]}
        />
      ),
    },
  ];
}

const FACT_COLUMNS: readonly Column<Destination>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(140px,2fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'type',
    leaves: 3,
    header: 'Type',
    width: 'minmax(120px,1fr)',
    cell: ({ type }) => DESTINATION_TYPES[type].label,
  },
  {
    id: 'state',
    header: 'State',
    width: '80px',
    cell: ({ enabled }) => <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? 'on' : 'paused'}</Badge>,
  },
  {
    id: 'share',
    leaves: 1,
    header: 'Share',
    width: '64px',
    isNumeric: true,
    cell: ({ sampling_rate: rate }) => `${Number((rate * 100).toPrecision(3))} %`,
  },
  {
    id: 'contents',
    leaves: 2,
    header: 'Contents',
    width: '88px',
    cell: ({ privacy_mode: isPrivate }) =>
      isPrivate ? <Badge>not sent</Badge> : <span className="text-ink-faint">sent</span>,
  },
];

type StatusOf = (id: string) => DestinationStatus | undefined;

const toStatusColumns = (statusOf: StatusOf): readonly Column<Destination>[] => [
  {
    id: 'queue',
    leaves: 5,
    header: 'Queue',
    width: '64px',
    isNumeric: true,
    cell: ({ id }) => formatCount(statusOf(id)?.queued),
  },
  {
    id: 'arrived',
    leaves: 4,
    header: 'Last delivery',
    width: '120px',
    cell: ({ id }) => <LastTime at={statusOf(id)?.last_delivered_at ?? null} />,
  },
  {
    id: 'failure',
    leaves: 6,
    header: 'Last failure',
    width: 'minmax(130px,2fr)',
    cell: ({ id }) => {
      const status = statusOf(id);
      if (status?.last_failed_at == null) return <span className="text-ink-faint">none</span>;
      return (
        <span className="text-bad" title={formatFull(status.last_failed_at)}>
          {status.last_failure ?? 'failed'}
        </span>
      );
    },
  },
];

function LastTime({ at }: { at: string | null }) {
  if (at === null) return <span className="text-ink-faint">—</span>;
  return <Moment at={at} />;
}
