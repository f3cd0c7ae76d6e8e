import type { Rerun } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Repeat2 } from 'lucide-react';

import { useTask } from '../../app/tasks.ts';
import { ListBody, ListScreen } from '../../features/list-screen/list-screen.tsx';
import { formatMoment } from '../../format/time.ts';
import { perLocale } from '../../messages/locale.ts';
import { Button } from '../../parts/controls/button.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { rerunsMessages } from './messages.ts';
import { NewRerun } from './new-rerun.tsx';
import { rerunsQuery } from './rerun-queries.ts';
import { RerunProgress, RerunStateBadge, toCostText, toModelNames, toRerunName } from './rerun-state.tsx';

/** Past calls that were run again, and the form for more: other screens open it with the calls that they show. */
export function RerunsScreen() {
  const t = rerunsMessages();
  const search = useSearch({ from: '/reruns' });
  const navigate = useNavigate();
  const navigateWithin = useNavigateWithin('/reruns');
  const query = useQuery(rerunsQuery);
  const open = (id: string): void => void navigate({ to: '/reruns/$id', params: { id }, search: {} });
  const create = (): void => void navigateWithin({ search: { new: '1' } });
  useTask('new-rerun', create);
  return (
    <ListScreen
      title={t.title}
      actions={
        <Button look="primary" icon={<Plus size={15} />} onClick={create}>
          {t.newRerun}
        </Button>
      }
      opened={
        search.new !== undefined && (
          <NewRerun search={search} onClose={() => void navigateWithin({ search: {} })} onStarted={open} />
        )
      }
    >
      <ListBody
        what={t.what}
        query={query}
        rows={query.data}
        empty={
          <EmptyState icon={<Repeat2 size={22} />} title={t.empty}>
            <p>{t.emptyHint}</p>
            <Button onClick={create}>{t.newRerun}</Button>
          </EmptyState>
        }
      >
        {(rows) => (
          <VirtualTable
            label={t.label}
            rows={rows}
            columns={toColumns()}
            idOf={({ id }) => id}
            onOpen={({ id }) => open(id)}
          />
        )}
      </ListBody>
    </ListScreen>
  );
}

const toColumns = perLocale((): readonly Column<Rerun>[] => {
  const t = rerunsMessages();
  return [
    {
      id: 'name',
      header: t.name,
      width: 'minmax(140px,2fr)',
      narrow: { width: 'minmax(96px,2fr)' },
      cell: (rerun) => <span title={toRerunName(rerun)}>{toRerunName(rerun)}</span>,
    },
    { id: 'state', header: t.state, width: '116px', cell: (rerun) => <RerunStateBadge rerun={rerun} /> },
    {
      id: 'targets',
      leaves: 2,
      header: t.targets,
      width: 'minmax(150px,2fr)',
      cell: (rerun) => (
        <span className="font-mono text-xs" title={toModelNames(rerun)}>
          {toModelNames(rerun)}
        </span>
      ),
    },
    {
      id: 'progress',
      header: t.progress,
      width: 'minmax(160px,1fr)',
      narrow: { width: 'minmax(130px,1fr)' },
      cell: ({ counts }) => <RerunProgress counts={counts} />,
    },
    { id: 'cost', leaves: 3, header: t.cost, width: '172px', isNumeric: true, cell: toCostText },
    {
      id: 'created',
      leaves: 1,
      header: t.created,
      width: '136px',
      cell: ({ created_at: at }) => (
        <Moment at={at} className="figures text-ink-soft">
          {formatMoment(at)}
        </Moment>
      ),
    },
  ];
});
