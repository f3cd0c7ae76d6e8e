import type { GenerationContent } from '../../../api/types.ts';
import { type ContentPiece, toPieces } from './content-pieces.ts';

/** What the worker is told: to ask for contents, or not to go on with that. */
export type ContentQuestion =
  | { readonly type: 'read'; readonly question: number; readonly url: string; readonly maxBytes: number }
  | { readonly type: 'stop'; readonly question: number };

/** What it answers to a question: pieces, of which the rest is the last, or one of the others. */
export type ContentAnswer = { readonly question: number } & (
  | { readonly type: 'piece'; readonly piece: ContentPiece; readonly bytes: number }
  | { readonly type: 'refused'; readonly status: number; readonly body: unknown }
  | { readonly type: 'too-long'; readonly bytes: number }
  | { readonly type: 'broken' }
);

// A thread of its own: loading and reading ten megabytes takes longer than a page may stand still.
const underWay = new Map<number, AbortController>();

addEventListener('message', ({ data }: MessageEvent<ContentQuestion>) => {
  if (data.type === 'stop') underWay.get(data.question)?.abort();
  else void answer(data);
});

async function answer({ question, url, maxBytes }: ContentQuestion & { readonly type: 'read' }): Promise<void> {
  const abort = new AbortController();
  underWay.set(question, abort);
  const reply = (message: ContentAnswer): void => postMessage(message);
  try {
    const response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', signal: abort.signal });
    if (!response.ok) {
      const body: unknown = await response.json().catch(() => null);
      return reply({ question, type: 'refused', status: response.status, body });
    }
    const announced = Number(response.headers.get('content-length'));
    if (announced > maxBytes) {
      abort.abort();
      return reply({ question, type: 'too-long', bytes: announced });
    }
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength > maxBytes) return reply({ question, type: 'too-long', bytes: bytes.byteLength });
    const { data } = JSON.parse(new TextDecoder().decode(bytes)) as { data: GenerationContent };
    for (const piece of toPieces(data)) reply({ question, type: 'piece', piece, bytes: bytes.byteLength });
  } catch {
    reply({ question, type: 'broken' });
  } finally {
    underWay.delete(question);
  }
}
