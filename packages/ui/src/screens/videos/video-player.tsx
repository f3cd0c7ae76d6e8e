import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';

import { openApi, toApiUrl } from '../../api/call-api.ts';
import { formatBytes } from '../../format/quantity.ts';
import { PlainLinkButton } from '../../parts/controls/link-button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { videosMessages } from './messages.tsx';
import { toVideoPath } from './video-path.ts';

type State =
  | { readonly type: 'loading'; readonly received: number; readonly total: number | null }
  | { readonly type: 'ready'; readonly video: LoadedVideo }
  | { readonly type: 'large' }
  | { readonly type: 'failed'; readonly error: unknown };

const BEGIN: State = { type: 'loading', received: 0, total: null };
/** A finished video. It plays when it is told to, and is fetched once. */
export function VideoPlayer({ jobId, index, label }: { jobId: string; index: number; label: string }) {
  const { player: t } = videosMessages();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<State>(BEGIN);
  const path = toVideoPath(jobId, index);
  useEffect(() => {
    const abort = new AbortController();
    let url: string | undefined;
    const load = async (): Promise<void> => {
      setState(BEGIN);
      try {
        const onProgress = (received: number, total: number | null): void =>
          setState({ type: 'loading', received, total });
        const video = await loadVideo(path, onProgress, abort.signal);
        url = video?.url;
        if (abort.signal.aborted) return revoke(url);
        setState(video === null ? { type: 'large' } : { type: 'ready', video });
      } catch (error) {
        if (!abort.signal.aborted) setState({ type: 'failed', error });
      }
    };
    void load();
    return () => {
      abort.abort();
      revoke(url);
    };
  }, [path, attempt]);
  const name = `${jobId}-${index}.mp4`;
  switch (state.type) {
    case 'loading':
      return <LoadProgress received={state.received} total={state.total} />;
    case 'failed':
      return <ErrorPanel error={state.error} title={t.failed} onRetry={() => setAttempt(attempt + 1)} />;
    case 'large':
      return (
        <div className="flex flex-col gap-2 text-sm">
          <p>{t.tooLarge(formatBytes(MAX_SHOWN_BYTES))}</p>
          <PlainLinkButton className="self-start bg-surface" href={toApiUrl(path)} download={name}>
            <Download size={14} /> {t.download}
          </PlainLinkButton>
        </div>
      );
    case 'ready':
      return (
        <div className="flex flex-col gap-2">
          {/* Films of models come without captions; what was asked for stands beside. */}
          <video
            controls
            preload="metadata"
            src={state.video.url}
            aria-label={label}
            className="aspect-video w-full rounded-lg bg-black"
          />
          <PlainLinkButton className="self-start bg-surface" href={state.video.url} download={name}>
            <Download size={14} /> {t.downloadSize(formatBytes(state.video.bytes))}
          </PlainLinkButton>
        </div>
      );
  }
}

function revoke(url: string | undefined): void {
  if (url !== undefined) URL.revokeObjectURL(url);
}

function LoadProgress({ received, total }: { received: number; total: number | null }) {
  const { player: t } = videosMessages();
  return (
    <div className="flex aspect-video flex-col items-center justify-center gap-2 rounded-lg bg-raised px-8">
      <p className="figures text-sm text-ink-soft">
        {t.loaded(formatBytes(received), total === null ? null : formatBytes(total))}
      </p>
      <progress aria-label={t.loading} value={total === null ? undefined : received} max={total ?? undefined} />
    </div>
  );
}

interface LoadedVideo {
  /** A `blob:` address of the page; to be revoked when the video is not shown any more. */
  readonly url: string;
  readonly bytes: number;
}

/** Beyond it a film is downloaded to the disk rather than held in the page. */
const MAX_SHOWN_BYTES = 200 * 1024 * 1024;

/**
 * Fetches a video into the page, telling how many bytes have come, of how many where that is known. Null for one that
 * is too large. Throws `ApiError`, and the signal's reason.
 */
async function loadVideo(
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
