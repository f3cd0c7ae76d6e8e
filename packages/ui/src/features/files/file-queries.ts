import type { StoredFileList, StoredFileRow } from '@model-gateway/core/wire';
import { infiniteQueryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { callApi, type Caller, openApi } from '../../api/call-api.ts';
import { allKeysQuery, refreshEvery } from '../../api/queries.ts';
import { type Upload, uploadForm } from '../../api/upload-form.ts';
import { saveFile } from '../../parts/save-file.ts';

export interface FileFilter {
  readonly text?: string | undefined;
  readonly purpose?: string | undefined;
  readonly origin?: string | undefined;
}

const PAGE = 100;
const EVERY_MS = 10_000;

export const FILES_KEY = ['files'] as const;

/** The files of all workspaces, newest first. */
export const filesQuery = ({ text, purpose, origin }: FileFilter) =>
  infiniteQueryOptions({
    queryKey: [...FILES_KEY, { text, purpose, origin }],
    queryFn: ({ signal, pageParam: offset }) =>
      callApi<StoredFileList>('/admin/v1/files', { query: { text, purpose, origin, offset, limit: PAGE }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last: StoredFileList, pages: readonly StoredFileList[]) => {
      const loaded = pages.reduce((sum, { data }) => sum + data.length, 0);
      return last.data.length === 0 || loaded >= last.total_count ? undefined : loaded;
    },
    refetchInterval: refreshEvery(EVERY_MS),
  });

interface NewFile {
  readonly file: File;
  readonly purpose: string;
  /** Seconds until it is deleted; null for never. */
  readonly livesSeconds: number | null;
}

/** Stores a file as of a key, or of the session where there is none. Throws `ApiError`. */
export function uploadFile({ file, purpose, livesSeconds }: NewFile, upload: Upload): Promise<{ readonly id: string }> {
  const form = new FormData();
  form.set('purpose', purpose);
  if (livesSeconds !== null) {
    form.set('expires_after[anchor]', 'created_at');
    form.set('expires_after[seconds]', String(livesSeconds));
  }
  // Last, so that the gateway knows the rest before its bytes come.
  form.set('file', file);
  return uploadForm('/api/v1/files', form, upload);
}

export const deleteFile = (id: string): Promise<unknown> =>
  callApi(`/admin/v1/files/${encodeURIComponent(id)}`, { method: 'DELETE' });

/** Opens the bytes of a file. Throws `ApiError`. */
export const openFile = (id: string, workspaceId: string, signal?: AbortSignal): Promise<Response> =>
  openApi(`/api/v1/files/${encodeURIComponent(id)}/content`, {
    query: { workspace_id: workspaceId },
    ...(signal && { signal }),
  });

/** Saves the bytes of a file on the user's disk. Throws `ApiError`. */
export async function downloadFile({
  id,
  filename,
  workspace_id: workspaceId,
}: Pick<StoredFileRow, 'id' | 'filename' | 'workspace_id'>): Promise<void> {
  saveFile(filename, await (await openFile(id, workspaceId)).blob());
}

/** The names of keys by their hashes, those of the configuration, too. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data: keys } = useQuery(allKeysQuery);
  return useMemo(() => new Map(keys?.map(({ hash, name }) => [hash, name])), [keys]);
}

/** Who uploads: the playground's key where there is one, so that its owner is known; else the session. */
export const toUploader = (caller: Caller | null | undefined): Caller | undefined => caller ?? undefined;
