import { openApi } from '../../api/call-api.ts';

export interface LoadedVideo {
  /** A `blob:` address of the page; to be revoked when the video is not shown any more. */
  readonly url: string;
  readonly bytes: number;
}

/** Beyond it a film is downloaded to the disk rather than held in the page. */
export const MAX_SHOWN_BYTES = 200 * 1024 * 1024;

export const toVideoPath = (jobId: string, index: number): string => `/api/v1/videos/${jobId}/content?index=${index}`;

/**
 * Fetches a video into the page, telling how many bytes have come, of how many where that is known. Null for one that
 * is too large. Throws `ApiError`, and the signal's reason.
 */
export async function loadVideo(
  path: string,
  onProgress: (received: number, total: number | null) => void,
  signal: AbortSignal,
): Promise<LoadedVideo | null> {
  const response = await openApi(path, { signal });
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const total = Number.isFinite(length) ? length : null;
  if (response.body === null || (total ?? 0) > MAX_SHOWN_BYTES) return null;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    received += value.byteLength;
    if (received > MAX_SHOWN_BYTES) {
      await reader.cancel();
      return null;
    }
    onProgress(received, total);
  }
  const type = response.headers.get('content-type') ?? 'video/mp4';
  // Whatever the provider called it, the page takes it for a film or for nothing.
  const blob = new Blob(chunks, { type: type.startsWith('video/') ? type : 'video/mp4' });
  return { url: URL.createObjectURL(blob), bytes: received };
}
