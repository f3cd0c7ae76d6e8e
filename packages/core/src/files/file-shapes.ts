import { GatewayError } from '../foundation/errors.ts';
import { firstValue, type GatewayRequest } from '../http/request.ts';
import type { StoredFile } from '../stores/files.ts';
import type { FileDeletedResponse, FileListResponse, FileResponse } from '../wire/files.ts';
import type { FileLibrary } from './file-library.ts';

/** In whose words a file is shown. */
export type FileShape = FileResponse['_shape'];

/**
 * The shape that the client of a request reads: that of the Anthropic API by its headers, that of the OpenAI API by the
 * name of its client, or by what only such clients send.
 */
export function shapeOf({ headers }: Pick<GatewayRequest, 'headers'>, isOpenAi = false): FileShape {
  if (headers['anthropic-version'] !== undefined || headers['anthropic-beta'] !== undefined) return 'anthropic';
  const isClient = /^(?:Async)?(?:Azure)?OpenAI\//.test(firstValue(headers['user-agent']) ?? '');
  return isOpenAi || isClient ? 'openai' : 'openrouter';
}

type Downloads = Pick<FileLibrary, 'isDownloadable'>;

const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

export const toFileResponse = (file: StoredFile, shape: FileShape, downloads: Downloads): FileResponse =>
  shape === 'openai'
    ? toOpenAiFile(file)
    : shape === 'anthropic'
      ? toAnthropicFile(file, downloads)
      : toFile(file, downloads);

const toFile = (file: StoredFile, downloads: Downloads) => ({
  ...toAnthropicFile(file, downloads),
  _shape: 'openrouter' as const,
  ...(file.expiresAt !== null && { expires_at: file.expiresAt }),
});

const toAnthropicFile = (file: StoredFile, downloads: Downloads) => ({
  _shape: 'anthropic' as const,
  id: file.id,
  type: 'file' as const,
  filename: file.filename,
  mime_type: file.mimeType,
  size_bytes: file.bytes,
  created_at: file.createdAt,
  downloadable: downloads.isDownloadable(file),
});

const toOpenAiFile = (file: StoredFile) => ({
  _shape: 'openai' as const,
  id: file.id,
  object: 'file' as const,
  bytes: file.bytes,
  created_at: secondsOf(file.createdAt),
  filename: file.filename,
  purpose: file.purpose,
  status: 'processed' as const,
  ...(file.expiresAt !== null && { expires_at: secondsOf(file.expiresAt) }),
});

export function toFilePage(
  files: readonly StoredFile[],
  { hasMore, cursor }: { readonly hasMore: boolean; readonly cursor: string | null },
  shape: FileShape,
  downloads: Downloads,
): FileListResponse {
  const page = { has_more: hasMore, first_id: files[0]?.id ?? null, last_id: files.at(-1)?.id ?? null };
  if (shape === 'openai') return { _shape: shape, object: 'list', data: files.map(toOpenAiFile), ...page };
  if (shape === 'anthropic') {
    return { _shape: shape, data: files.map((file) => toAnthropicFile(file, downloads)), ...page, next_page: cursor };
  }
  return { _shape: shape, data: files.map((file) => toFile(file, downloads)), ...page, cursor };
}

export const toDeletedFile = (id: string, shape: FileShape): FileDeletedResponse =>
  shape === 'openai'
    ? { _shape: shape, id, object: 'file', deleted: true }
    : { _shape: shape, id, type: 'file_deleted' };

/** Where a page ends. A file that is deleted afterwards does not end the list. */
export const toFileCursor = ({ id, createdAt }: StoredFile): string => btoa(JSON.stringify([id, createdAt]));

export function readFileCursor(cursor: string): Pick<StoredFile, 'id' | 'createdAt'> {
  try {
    const [id, createdAt] = JSON.parse(atob(cursor)) as unknown[];
    if (typeof id === 'string' && typeof createdAt === 'string') return { id, createdAt };
  } catch {
    // It is no cursor.
  }
  const message = 'must be the cursor of a page';
  throw new GatewayError('invalid_request', `cursor: ${message}`, {
    metadata: { issues: [{ path: 'cursor', message }] },
  });
}
