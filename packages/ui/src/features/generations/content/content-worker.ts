import type { GenerationContent } from '../../../api/types.ts';
import { type ContentPiece, toPieces } from './content-pieces.ts';

/** Messages to the worker: to request contents, or to stop a request. */
export type ContentRequest =
  | { readonly type: 'read'; readonly request: number; readonly url: string; readonly maxBytes: number }
  | { readonly type: 'stop'; readonly request: number };

/** Replies to a request: pieces, of which `rest` is the last, or one of the other replies. */
export type ContentReply = { readonly request: number } & (
  | { readonly type: 'piece'; readonly piece: ContentPiece; readonly bytes: number }
  | { readonly type: 'refused'; readonly status: number; readonly body: unknown }
  | { readonly type: 'too-long'; readonly bytes: number }
  | { readonly type: 'broken' }
);

// A thread of its own: loading and reading ten megabytes takes longer than a page may stand still.
const underWay = new Map<number, AbortController>();

addEventListener('message', ({ data }: MessageEvent<ContentRequest>) => {
  if (data.type === 'stop') underWay.get(data.request)?.abort();
  else void read(data);
});

async function read({ request, url, maxBytes }: ContentRequest & { readonly type: 'read' }): Promise<void> {
  const abort = new AbortController();
  underWay.set(request, abort);
  const reply = (message: ContentReply): void => postMessage(message);
  try {
    const response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', signal: abort.signal });
    if (!response.ok) {
      const body: unknown = await response.json().catch(() => null);
      return reply({ request, type: 'refused', status: response.status, body });
    }
    const announced = Number(response.headers.get('content-length'));
    if (announced > maxBytes) {
      abort.abort();
      return reply({ request, type: 'too-long', bytes: announced });
    }
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength > maxBytes) return reply({ request, type: 'too-long', bytes: bytes.byteLength });
    const { data } = JSON.parse(new TextDecoder().decode(bytes)) as { data: GenerationContent };
    for (const piece of toPieces(data)) reply({ request, type: 'piece', piece, bytes: bytes.byteLength });
  } catch {
    reply({ request, type: 'broken' });
  } finally {
    underWay.delete(request);
  }
}
