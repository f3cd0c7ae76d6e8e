import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Download, ScrollText } from 'lucide-react';
import { useMemo, useRef } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import {
  ListBody,
  ListScreen,
  type SearchChange,
  SearchField,
  useSearchChange,
} from '../../features/list-screen/list-screen.tsx';
import { listMessages } from '../../features/list-screen/messages.ts';
import { formatBytes } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Menu } from '../../parts/controls/menu.tsx';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { MoreNotLoaded } from '../../parts/messages/more-not-loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { showFailure, showToast } from '../../parts/messages/toast-store.ts';
import { useInfiniteRows } from '../../parts/table/use-infinite-rows.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { toAuditColumns } from './audit-parts.tsx';
import { auditQuery, downloadAudit } from './audit-queries.ts';
import type { AuditSearch } from './audit-search.ts';
import { auditMessages } from './messages.ts';
import { MissingRecord, RecordPanel } from './record-panel.tsx';

const NO_FILTERS = { q: undefined, kind: undefined, outcome: undefined, days: undefined };

/** Every change, sign-in and refusal, newest first. */
export function AuditScreen() {
  const t = auditMessages();
  const search = useSearch({ from: '/audit' });
  const change = useSearchChange<AuditSearch>('/audit');
  const options = auditQuery(search);
  const query = useInfiniteQuery(options);
  const { rows, loadMore, moreError } = useInfiniteRows(query, options.queryKey);
  const columns = useMemo(() => toAuditColumns(), []);
  const field = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.search.shortcut, group: listMessages().thisScreen }, () => field.current?.focus());
  const opened = rows?.find(({ id }) => id === search.open);
  const isFiltered = (search.q ?? search.kind ?? search.outcome ?? search.days) !== undefined;
  const close = (): void => change({ open: undefined });
  // What was open need not match: its panel would go now, and come back by itself with another filter.
  const filter = (next: Omit<SearchChange<AuditSearch>, 'open'>): void => change({ ...next, open: undefined });
  const clear = (): void => change(NO_FILTERS);
  if (query.error instanceof ApiError && query.error.status === 404) {
    return (
      <ListScreen title={t.title}>
        <EmptyState icon={<ScrollText size={22} />} title={t.notKept}>
          <p>{t.notKeptHint}</p>
        </EmptyState>
      </ListScreen>
    );
  }
  return (
    <ListScreen
      title={t.title}
      actions={<ExportMenu search={search} />}
      filters={
        <div role="search" className="flex flex-wrap items-center gap-2">
          <SearchField
            ref={field}
            label={t.search.label}
            placeholder={t.search.placeholder}
            value={search.q}
            onChange={(q) => filter({ q })}
          />
          <FilterSelect
            label={t.columns.target}
            any={t.anyKind}
            value={search.kind}
            options={Object.entries(t.kinds)}
            onChange={(kind) => filter({ kind })}
          />
          <FilterSelect
            label={t.columns.outcome}
            any={t.anyOutcome}
            value={search.outcome}
            options={Object.entries(t.outcomes)}
            onChange={(outcome) => filter({ outcome })}
          />
          <FilterSelect
            label={t.columns.time}
            any={t.anyTime}
            value={search.days}
            options={Object.entries(t.days)}
            onChange={(days) => filter({ days })}
          />
        </div>
      }
      opened={
        opened !== undefined ? (
          <RecordPanel record={opened} onClose={close} />
        ) : (
          search.open !== undefined &&
          rows !== undefined && (
            <MissingRecord hasMore={query.hasNextPage} onClear={isFiltered ? clear : undefined} onClose={close} />
          )
        )
      }
    >
      <ListBody
        what={t.what}
        query={query}
        rows={rows}
        empty={
          isFiltered ? (
            <EmptyState title={t.noMatch}>
              <Button onClick={clear}>{t.clear}</Button>
            </EmptyState>
          ) : (
            <EmptyState icon={<ScrollText size={22} />} title={t.empty}>
              <p>{t.emptyHint}</p>
            </EmptyState>
          )
        }
      >
        {(shown) => (
          <>
            <MoreNotLoaded what={t.what} failure={t.moreNotLoaded} error={moreError} query={query} />
            <VirtualTable
              label={t.label}
              lines={2}
              rows={shown}
              columns={columns}
              idOf={({ id }) => id}
              total={query.hasNextPage ? -1 : shown.length}
              openId={search.open}
              onOpen={({ id }) => change({ open: id })}
              onEndReached={loadMore}
            />
          </>
        )}
      </ListBody>
    </ListScreen>
  );
}

function ExportMenu({ search }: { search: AuditSearch }) {
  const { export: t } = auditMessages();
  const save = useMutation({
    mutationFn: (format: 'ndjson' | 'csv') => downloadAudit(search, format),
    onSuccess: (bytes) => showToast({ tone: 'good', title: t.done(formatBytes(bytes)) }),
    onError: (error) => showFailure(t.failed, error),
  });
  return (
    <Menu
      trigger={
        <Button isBusy={save.isPending} icon={<Download size={15} />}>
          {t.title}
        </Button>
      }
      items={(['csv', 'ndjson'] as const).map((format) => ({ label: t[format], onSelect: () => save.mutate(format) }))}
    />
  );
}
