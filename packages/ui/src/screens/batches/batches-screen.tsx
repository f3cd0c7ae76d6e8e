import type { BatchRow } from '@model-gateway/core/wire';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Layers, Plus } from 'lucide-react';
import { useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { useTask } from '../../app/tasks.ts';
import { ListBody, ListScreen, useSearchChange } from '../../features/list-screen/list-screen.tsx';
import { toUsdColumn } from '../../format/money.ts';
import { formatMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { MoreNotLoaded } from '../../parts/messages/more-not-loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { Column } from '../../parts/table/table-row.tsx';
import { useInfiniteRows } from '../../parts/table/use-infinite-rows.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { Moment } from '../../parts/text/moment.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { BatchPanel } from './batch-panel.tsx';
import { BatchProgress, BatchStatus, toKind } from './batch-parts.tsx';
import { BATCHES_KEY, batchesQuery, batchFilesQuery, type FileNames } from './batch-queries.ts';
import type { BatchSearch } from './batch-search.ts';
import { batchesMessages } from './messages.tsx';
import { NewBatch } from './new-batch.tsx';

/** The batches of all workspaces, with their progress as it goes on. */
export function BatchesScreen() {
  const t = batchesMessages();
  const { status, open } = useSearch({ from: '/batches' });
  const change = useSearchChange<BatchSearch>('/batches');
  const client = useQueryClient();
  const options = batchesQuery(status);
  const query = useInfiniteQuery(options);
  const { rows: batches, loadMore, moreError } = useInfiniteRows(query, options.queryKey);
  const { data: names } = useQuery(batchFilesQuery);
  const [isCreating, setIsCreating] = useState(false);
  const create = (): void => setIsCreating(true);
  useTask('new-batch', create);
  const hasNone = status === undefined && batches?.length === 0;
  const hasSome = status !== undefined || (batches?.length ?? 0) > 0;
  /** Once it is there it stays while others are loaded, and with it the focus. */
  const [hasFilter, setHasFilter] = useState(hasSome);
  if (hasSome && !hasFilter) setHasFilter(true);
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <ListScreen title={t.title}>
        <EmptyState icon={<Layers size={22} />} title={t.notRun}>
          <p>{t.notRunHint}</p>
        </EmptyState>
      </ListScreen>
    );
  }
  return (
    <ListScreen
      title={t.title}
      actions={
        <Button look="primary" icon={<Plus size={15} />} onClick={create}>
          {t.newBatch}
        </Button>
      }
      filters={
        hasFilter &&
        !hasNone && (
          <div role="search" className="flex flex-wrap items-center gap-2">
            <FilterSelect
              label={t.status}
              any={t.anyStatus}
              value={status}
              options={Object.entries(t.statuses)}
              onChange={(next) => change({ status: next })}
            />
          </div>
        )
      }
      opened={
        <>
          {open !== undefined && <BatchPanel key={open} id={open} onClose={() => change({ open: undefined })} />}
          {isCreating && (
            <NewBatch
              onClose={() => setIsCreating(false)}
              onStarted={(id) => {
                setIsCreating(false);
                void client.invalidateQueries({ queryKey: BATCHES_KEY });
                change({ open: id, status: undefined });
              }}
            />
          )}
        </>
      }
    >
      <ListBody
        what={t.what}
        query={query}
        rows={batches}
        empty={
          hasNone ? (
            <EmptyState icon={<Layers size={22} />} title={t.empty}>
              <p>{t.emptyHint(<code className="font-mono text-xs">POST /api/v1/batches</code>)}</p>
              <Button onClick={create}>{t.newBatch}</Button>
            </EmptyState>
          ) : (
            <EmptyState title={t.noMatch}>
              <Button onClick={() => change({ status: undefined })}>{t.clear}</Button>
            </EmptyState>
          )
        }
      >
        {(rows) => (
          <>
            <MoreNotLoaded what={t.what} failure={t.moreNotLoaded} error={moreError} query={query} />
            <VirtualTable
              label={t.label}
              lines={2}
              rows={rows}
              columns={toColumns(rows, names)}
              idOf={({ id }) => id}
              total={query.data?.pages[0]?.total_count}
              openId={open}
              onOpen={({ id }) => change({ open: id })}
              onEndReached={loadMore}
            />
          </>
        )}
      </ListBody>
    </ListScreen>
  );
}

function toColumns(rows: readonly BatchRow[], names: FileNames | undefined): readonly Column<BatchRow>[] {
  const t = batchesMessages();
  const writeUsd = toUsdColumn(rows.map(({ cost }) => cost));
  return [
    {
      id: 'batch',
      header: t.name,
      width: 'minmax(200px,3fr)',
      narrow: {
        width: 'minmax(110px,1fr)',
        // Names that begin alike differ at their ends, so that they are told whole; most batches are of one kind.
        cell: ({ id, endpoint, input_file_id: fileId }) => {
          const name = names?.get(fileId);
          return (
            <p className="line-clamp-2 leading-snug wrap-anywhere whitespace-normal">
              {name === undefined ? `${toKind(endpoint)} …${id.slice(-8)}` : showControls(name)}
            </p>
          );
        },
      },
      cell: ({ id, endpoint, input_file_id: fileId }) => {
        const name = names?.get(fileId);
        return (
          <div className="leading-tight" title={name === undefined ? id : showControls(name)}>
            <p className="truncate">{name === undefined ? toKind(endpoint) : showControls(name)}</p>
            <p className="mt-0.5 truncate text-xs text-ink-faint">
              {name === undefined ? <span className="font-mono">…{id.slice(-8)}</span> : toKind(endpoint)}
            </p>
          </div>
        );
      },
    },
    { id: 'status', header: t.status, width: '104px', cell: ({ status }) => <BatchStatus status={status} /> },
    {
      id: 'progress',
      header: t.progress,
      width: 'minmax(220px,2fr)',
      narrow: {
        width: 'minmax(136px,0.95fr)',
        cell: ({ request_counts: counts }) => <BatchProgress counts={counts} look="stacked" />,
      },
      cell: ({ request_counts: counts }) => <BatchProgress counts={counts} />,
    },
    {
      id: 'cost',
      leaves: 3,
      header: t.cost,
      width: '104px',
      isNumeric: true,
      cell: ({ cost }) => writeUsd(cost),
    },
    {
      id: 'key',
      leaves: 1,
      header: t.key,
      width: 'minmax(100px,1fr)',
      cell: ({ key_name: name }) => <span title={name}>{showControls(name)}</span>,
    },
    {
      id: 'created',
      leaves: 2,
      header: t.created,
      width: '136px',
      cell: ({ created_at: seconds }) => {
        const at = new Date(seconds * 1000).toISOString();
        return (
          <Moment at={at} className="figures text-ink-soft">
            {formatMoment(at)}
          </Moment>
        );
      },
    },
  ];
}
