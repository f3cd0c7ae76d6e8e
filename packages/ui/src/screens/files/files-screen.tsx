import type { StoredFileRow } from '@model-gateway/core/wire';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Files, Upload } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { useTask } from '../../app/tasks.ts';
import { deleteFile, FILES_KEY, filesQuery, useKeyNames } from '../../features/files/file-queries.ts';
import { ListBody, ListScreen, SearchField, useSearchChange } from '../../features/list-screen/list-screen.tsx';
import { listMessages } from '../../features/list-screen/messages.ts';
import { formatBytes, formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { FilterSelect } from '../../parts/controls/select.tsx';
import { MoreNotLoaded } from '../../parts/messages/more-not-loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { holdDeletion, useHeldDeletions } from '../../parts/messages/toast-store.ts';
import { useInfiniteRows } from '../../parts/table/use-infinite-rows.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { toFileColumns } from './file-columns.tsx';
import { FilePanel } from './file-panel.tsx';
import type { FileSearch } from './file-search.ts';
import { filesMessages } from './messages.tsx';
import { UploadDialog } from './upload-dialog.tsx';

const PURPOSES = [
  'user_data',
  'batch',
  'batch_output',
  'vision',
  'assistants',
  'assistants_output',
  'fine-tune',
  'fine-tune-results',
  'evals',
] as const;

/** The files of all workspaces: uploaded, and made by the gateway. */
export function FilesScreen() {
  const t = filesMessages();
  const search = useSearch({ from: '/files' });
  const change = useSearchChange<FileSearch>('/files');
  const client = useQueryClient();
  const { q: text, purpose, origin, open } = search;
  const options = filesQuery({ text, purpose, origin });
  const query = useInfiniteQuery(options);
  const held = useHeldDeletions();
  const { rows: loaded, loadMore, moreError } = useInfiniteRows(query, options.queryKey);
  const rows = useMemo(() => loaded?.filter(({ id }) => !held.has(id)), [loaded, held]);
  const [first] = query.data?.pages ?? [];
  const [uploading, setUploading] = useState<readonly File[] | null>(null);
  const [isOver, setIsOver] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: t.search.shortcut, group: listMessages().thisScreen }, () => field.current?.focus());
  useTask('upload-files', () => setUploading([]));
  const remove = useCallback(
    ({ id, filename }: StoredFileRow): void => {
      change({ open: undefined });
      holdDeletion({
        id,
        title: filesMessages().deleting(filename),
        detail: filesMessages().deletingNote,
        failed: filesMessages().notDeleted,
        async run() {
          await deleteFile(id);
          await client.invalidateQueries({ queryKey: FILES_KEY });
        },
      });
    },
    [change, client],
  );
  const keyNames = useKeyNames();
  const columns = useMemo(() => toFileColumns(keyNames, remove), [keyNames, remove]);
  const opened = rows?.find(({ id }) => id === open);
  const isFiltered = (text ?? purpose ?? origin) !== undefined;
  const isStored = !(query.error instanceof ApiError && query.error.status === 404);
  const choose = (): void => setUploading([]);
  if (!isStored) {
    return (
      <ListScreen title={t.title}>
        <EmptyState icon={<Files size={22} />} title={t.notStored}>
          <p>{t.notStoredHint}</p>
        </EmptyState>
      </ListScreen>
    );
  }
  return (
    <div
      className="flex min-h-0 min-w-0 flex-1 flex-col data-over:outline-2 data-over:-outline-offset-4 data-over:outline-accent data-over:outline-dashed"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        if (uploading === null) setUploading([...event.dataTransfer.files]);
      }}
    >
      <ListScreen
        title={t.title}
        actions={
          <Button look="primary" icon={<Upload size={15} />} onClick={choose}>
            {t.upload}
          </Button>
        }
        filters={
          (isFiltered || (first?.total_count ?? 0) > 0) && (
            <div role="search" className="flex flex-wrap items-center gap-2">
              <SearchField
                ref={field}
                label={t.search.label}
                placeholder={t.search.placeholder}
                value={text}
                onChange={(q) => change({ q })}
              />
              <FilterSelect
                label={t.purpose}
                any={t.anyPurpose}
                value={purpose}
                options={PURPOSES}
                onChange={(next) => change({ purpose: next })}
              />
              <FilterSelect
                label={t.origin}
                any={t.anyOrigin}
                value={origin}
                options={Object.entries(t.origins)}
                onChange={(next) => change({ origin: next })}
              />
              {first !== undefined && (
                <span className="figures text-sm whitespace-nowrap text-ink-faint">
                  {t.total(first.total_count, formatCount(first.total_count), formatBytes(first.total_bytes))}
                </span>
              )}
            </div>
          )
        }
        opened={
          <>
            {opened !== undefined && (
              <FilePanel file={opened} onDelete={remove} onClose={() => change({ open: undefined })} />
            )}
            {uploading !== null && <UploadDialog files={uploading} onClose={() => setUploading(null)} />}
          </>
        }
      >
        <ListBody
          what={t.what}
          query={query}
          rows={rows}
          empty={
            isFiltered ? (
              <EmptyState title={t.noMatch}>
                <Button onClick={() => change({ q: undefined, purpose: undefined, origin: undefined })}>
                  {t.clear}
                </Button>
              </EmptyState>
            ) : (
              <EmptyState icon={<Files size={22} />} title={t.empty}>
                <p>{t.emptyHint(<code className="font-mono text-xs">POST /api/v1/files</code>)}</p>
                <Button onClick={choose}>{t.upload}</Button>
              </EmptyState>
            )
          }
        >
          {(shown) => (
            <>
              <MoreNotLoaded what={t.what} failure={t.moreNotLoaded} error={moreError} query={query} />
              <VirtualTable
                label={t.label}
                rows={shown}
                columns={columns}
                idOf={({ id }) => id}
                total={first?.total_count}
                openId={open}
                onOpen={({ id }) => change({ open: id })}
                onEndReached={loadMore}
              />
            </>
          )}
        </ListBody>
      </ListScreen>
    </div>
  );
}
