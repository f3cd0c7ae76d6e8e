import type { Destination } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Plus, Send } from 'lucide-react';
import { useState } from 'react';

import { useTask } from '../../app/tasks.ts';
import { describeResult } from '../../features/destinations/describe-result.ts';
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
import { DestinationPanel } from './destination-panel.tsx';
import type { DestinationSearch } from './destination-search.ts';
import { destinationsMessages } from './messages.ts';
import { NewDestination } from './new-destination.tsx';

export function DestinationsScreen() {
  const t = destinationsMessages();
  const { open, tab = 'where' } = useSearch({ from: '/destinations' });
  const navigate = useNavigateWithin('/destinations');
  const [isCreating, setIsCreating] = useState(false);
  useTask('new-destination', () => setIsCreating(true));
  const query = useQuery(destinationsQuery);
  const destinations = query.data;
  const show = (search: DestinationSearch): void => void navigate({ search });
  const columns = useColumns(show);
  const opened = destinations?.find(({ id }) => id === open);
  const create = (): void => setIsCreating(true);
  return (
    <ListScreen
      title={t.title}
      actions={
        <Button look="primary" icon={<Plus size={15} />} onClick={create}>
          {t.newDestination}
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
      <ListBody what={t.what} query={query} rows={destinations} empty={<NoDestinations onCreate={create} />}>
        {(rows) => (
          <VirtualTable
            label={t.title}
            lines={2}
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
  const t = destinationsMessages();
  return (
    <EmptyState icon={<Send size={22} />} title={t.empty.title}>
      <p>{t.empty.text}</p>
      <Button onClick={onCreate}>{t.newDestination}</Button>
    </EmptyState>
  );
}

function useColumns(show: (search: DestinationSearch) => void): readonly Column<Destination>[] {
  const t = destinationsMessages();
  const client = useQueryClient();
  const { data: log } = useQuery(deliveriesQuery());
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: Destination) => changeDestination(id, { enabled: !enabled }),
    onSuccess: (_, { id, name, enabled }) => {
      const refresh = () => client.invalidateQueries({ queryKey: destinationsQuery.queryKey });
      showUndo({
        title: enabled ? t.hasPaused(name) : t.hasResumed(name),
        async undo() {
          await changeDestination(id, { enabled });
          await refresh();
        },
        undone: enabled ? t.hasResumed(name) : t.hasPaused(name),
      });
      return refresh();
    },
    onError: (failure) => showFailure(t.notChanged, failure),
  });
  const test = useMutation({
    mutationFn: async ({ id, name }: Destination) => ({ name, ...(await testDestination(id)) }),
    onSuccess: ({ name, success, result }) =>
      showToast({
        tone: success ? 'good' : 'bad',
        title: success ? t.tested(name) : t.testFailed(name),
        detail: describeResult(result),
      }),
    onError: (failure) => showFailure(t.testNotRun, failure),
  });
  return [
    ...toFactColumns(),
    ...toStatusColumns((id) => log?.destinations.find(({ destination_id: of }) => of === id)),
    {
      id: 'actions',
      header: <span className="sr-only">{t.columns.actions}</span>,
      width: '44px',
      cell: (destination: Destination) => (
        <RowMenu
          label={t.actionsFor(destination.name)}
          items={[
            { label: t.test, onSelect: () => test.mutate(destination) },
            { label: destination.enabled ? t.pause : t.resume, onSelect: () => toggle.mutate(destination) },
            { label: t.log, onSelect: () => show({ open: destination.id, tab: 'log' }) },
          ]}
        />
      ),
    },
  ];
}

function toFactColumns(): readonly Column<Destination>[] {
  const t = destinationsMessages();
  return [
    {
      id: 'name',
      header: t.columns.name,
      width: 'minmax(120px,1.5fr)',
      cell: ({ name, enabled }) => (
        <p className="line-clamp-2 leading-tight break-words whitespace-normal" title={name}>
          <span className="font-medium">{name}</span> {!enabled && <Badge>{t.paused}</Badge>}
        </p>
      ),
    },
    {
      id: 'type',
      leaves: 3,
      header: t.columns.type,
      width: 'minmax(120px,1fr)',
      cell: ({ type }) => t.types[type].label,
    },
    {
      id: 'share',
      leaves: 1,
      header: t.columns.share,
      width: 'minmax(72px,0.4fr)',
      isNumeric: true,
      cell: ({ sampling_rate: rate }) => `${formatCount(Number((rate * 100).toPrecision(3)))}\u00a0%`,
    },
    {
      id: 'contents',
      leaves: 2,
      header: t.columns.content,
      width: 'minmax(88px,0.4fr)',
      cell: ({ privacy_mode: isPrivate }) =>
        isPrivate ? <Badge>{t.notSent}</Badge> : <span className="text-ink-faint">{t.sent}</span>,
    },
  ];
}

type StatusOf = (id: string) => DestinationStatus | undefined;

function toStatusColumns(statusOf: StatusOf): readonly Column<Destination>[] {
  const t = destinationsMessages();
  return [
    {
      id: 'queue',
      leaves: 5,
      header: t.columns.queue,
      width: 'minmax(72px,0.4fr)',
      isNumeric: true,
      cell: ({ id }) => formatCount(statusOf(id)?.queued),
    },
    {
      id: 'arrived',
      leaves: 4,
      header: t.columns.arrived,
      width: 'minmax(120px,0.6fr)',
      cell: ({ id }) => <LastTime at={statusOf(id)?.last_delivered_at ?? null} />,
    },
    {
      id: 'failure',
      leaves: 6,
      header: t.columns.failure,
      width: 'minmax(150px,3fr)',
      cell: ({ id }) => {
        const status = statusOf(id);
        if (status?.last_failed_at == null) return <span className="text-ink-faint">{t.none}</span>;
        // A reason that is cut is no reason: it may take two lines.
        return (
          <p
            className="line-clamp-2 leading-tight break-words whitespace-normal text-bad"
            title={formatFull(status.last_failed_at)}
          >
            {status.last_failure === null ? t.failed : describeResult(status.last_failure)}
          </p>
        );
      },
    },
  ];
}

function LastTime({ at }: { at: string | null }) {
  if (at === null) return <span className="text-ink-faint">—</span>;
  return <Moment at={at} />;
}
