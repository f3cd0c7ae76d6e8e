import type { BatchRow, BatchRowList, StoredFileList } from '@model-gateway/core/wire';
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { type Caller, callApi } from '../../api/call-api.ts';
import { FILES_KEY, openFile } from '../../features/files/file-queries.ts';
import { parseResults, type ResultList } from './batch-results.ts';

const WATCHED_MS = 1000;
const IDLE_MS = 10_000;
const PAGE = 100;

export const isOpen = ({ status }: Pick<BatchRow, 'status'>): boolean =>
  ['validating', 'in_progress', 'finalizing', 'cancelling'].includes(status);

export const BATCHES_KEY = ['batches'] as const;

type BatchPages = InfiniteData<BatchRowList, number>;

/** A batch that is new moves the others down, so that the next page begins with the last of the one before it. */
function withoutRepeats(list: BatchPages): BatchPages {
  const ids = new Set<string>();
  const pages = list.pages.map((page) => {
    const data = page.data.filter(({ id }) => !ids.has(id));
    for (const { id } of data) ids.add(id);
    return { ...page, data };
  });
  return { ...list, pages };
}

/**
 * The batches of all workspaces, newest first. While one is under way they are looked at every second, but for a long
 * list, of which every page is asked for again.
 */
export const batchesQuery = (status: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...BATCHES_KEY, 'list', { status }],
    queryFn: ({ signal, pageParam: offset }) =>
      callApi<BatchRowList>('/admin/v1/batches', { query: { status, offset, limit: PAGE }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last: BatchRowList, pages: readonly BatchRowList[]) => {
      const loaded = pages.reduce((sum, { data }) => sum + data.length, 0);
      return last.data.length === 0 || loaded >= last.total_count ? undefined : loaded;
    },
    select: withoutRepeats,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && data.pages[0]?.data.some(isOpen) === true ? WATCHED_MS : IDLE_MS,
  });

/** Names of files, by their ids. */
export type FileNames = ReadonlyMap<string, string>;

/** The names of the latest files of requests, by which people know their batches. */
export const batchFilesQuery = queryOptions({
  queryKey: [...FILES_KEY, 'of-batches'],
  queryFn: async ({ signal }): Promise<FileNames> => {
    const query = { purpose: 'batch', limit: PAGE };
    const { data } = await callApi<StoredFileList>('/admin/v1/files', { query, signal });
    return new Map(data.map(({ id, filename }) => [id, filename]));
  },
});

/** A batch, also one that is older than those of the list. */
export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: [...BATCHES_KEY, id],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: BatchRow }>(`/admin/v1/batches/${encodeURIComponent(id)}`, { signal })).data,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOpen(data) ? WATCHED_MS : false),
  });

export const cancelBatch = (id: string): Promise<unknown> =>
  callApi(`/admin/v1/batches/${encodeURIComponent(id)}/cancel`, { method: 'POST' });

/** Begins a batch of a stored file. Throws `ApiError`. */
export const createBatch = (fileId: string, endpoint: string, caller: Caller): Promise<{ readonly id: string }> =>
  callApi('/api/v1/batches', {
    method: 'POST',
    body: { input_file_id: fileId, endpoint, completion_window: '24h' },
    caller,
  });

/** The first results of a batch that has ended: those of both files, as they stand in them. */
export const resultsQuery = (batch: Pick<BatchRow, 'id' | 'workspace_id' | 'output_file_id' | 'error_file_id'>) =>
  queryOptions({
    queryKey: [...BATCHES_KEY, batch.id, 'results', batch.output_file_id, batch.error_file_id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<ResultList> => {
      const ids = [batch.error_file_id, batch.output_file_id].filter((id) => id !== null);
      const lists = await Promise.all(
        ids.map(async (id) => parseResults((await openFile(id, batch.workspace_id, signal)).body)),
      );
      return { rows: lists.flatMap(({ rows }) => rows), isCut: lists.some(({ isCut }) => isCut) };
    },
  });
