import type { CallTimelineReport, Generation } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { ApiError, toApiError } from '../../../api/api-error.ts';
import { callApi, openApi, toApiUrl } from '../../../api/call-api.ts';
import { endSession } from '../../../api/session.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { type ContentPiece, fromPieces } from './content-pieces.ts';
import type { ContentReply, ContentRequest } from './content-worker.ts';
// oxlint-disable-next-line import/default -- Vite makes it: the address of the built worker
import workerUrl from './content-worker.ts?worker&url';
import { contentMessages } from './messages.ts';

export const generationQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: Generation }>('/api/v1/generation', { query: { id }, signal })).data,
  });

/** The prompt and the completion, where they were stored. They are large, and leave the cache soon. */
export const contentQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'content'],
    queryFn: ({ signal }) => readContent(id, signal),
    gcTime: 30_000,
    // Comparing it with what was there costs more than drawing it again.
    structuralSharing: false,
  });

/** The part of Trusted Types (W3C) that is used here: not every browser has them, nor do TypeScript's own types. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

const trustedTypes = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
// The content security policy lets no text become a script's address but through a policy; this one takes the bundle's.
const policy = trustedTypes?.createPolicy('bundle-worker', {
  createScriptURL(url) {
    const { origin, protocol, host } = new URL(url, document.baseURI);
    const own = new URL(document.baseURI);
    if (protocol !== own.protocol || host !== own.host)
      throw new TypeError(`A worker of ${origin} is not from this page’s origin`);
    return url;
  },
});

/** Starts a worker of the bundle, whose address comes from an import with `?worker&url`. */
function startWorker(url: string): Worker {
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' });
}

const PATH = '/api/v1/generation/content';
/** Largest content that is shown. A longer one is not readable in a browser, and takes several times as much memory. */
const MAX_SHOWN_BYTES = 32 * 1024 * 1024;

/** The prompt and the completion, and how long they are as JSON. */
export interface ReadContent extends GenerationContent {
  readonly bytes: number;
}

/** The contents are there and are longer than what is shown. */
export class ContentTooLong extends Error {
  override readonly name = 'ContentTooLong';
  readonly bytes: number;

  constructor(bytes: number) {
    super(`Prompt and response are ${bytes} bytes`);
    this.bytes = bytes;
  }
}

// Kept once it is there: it takes longer to start than most contents to read.
let worker: Worker | undefined;
let requests = 0;

/** Has the contents of a generation read by a worker. Throws `ApiError`, `ContentTooLong`, and the signal's reason. */
function readContent(id: string, signal: AbortSignal): Promise<ReadContent> {
  const asked = (worker ??= startWorker(workerUrl));
  requests += 1;
  const request = requests;
  const tell = (message: ContentRequest): void => asked.postMessage(message);
  return new Promise<ReadContent>((resolve, reject) => {
    const own = new AbortController();
    const end = (settle: () => void): void => {
      own.abort();
      settle();
    };
    const pieces: ContentPiece[] = [];
    const take = ({ data }: MessageEvent<ContentReply>): void => {
      if (data.request !== request) return;
      if (data.type !== 'piece') return end(() => reject(toError(data)));
      pieces.push(data.piece);
      if (data.piece.type === 'rest') end(() => resolve({ ...fromPieces(pieces), bytes: data.bytes }));
    };
    const fail = (event: Event): void => {
      worker = undefined;
      const reason = event instanceof ErrorEvent ? event.message : contentMessages().readerNotStarted;
      end(() => reject(new Error(contentMessages().readerFailed(reason))));
    };
    const stop = (): void => {
      tell({ type: 'stop', request });
      end(() => reject(signal.reason as Error));
    };
    asked.addEventListener('message', take, { signal: own.signal });
    asked.addEventListener('error', fail, { signal: own.signal });
    signal.addEventListener('abort', stop, { signal: own.signal });
    tell({ type: 'read', request, url: toApiUrl(PATH, { id }), maxBytes: MAX_SHOWN_BYTES });
  });
}

/** The same as it is sent, for a file. */
export const openContent = (id: string): Promise<Response> => openApi(PATH, { query: { id } });

function toError(reply: Exclude<ContentReply, { type: 'piece' }>): Error {
  if (reply.type === 'too-long') return new ContentTooLong(reply.bytes);
  if (reply.type === 'broken') {
    return new ApiError(contentMessages().brokeOff, { status: 0, errorType: 'unreachable' });
  }
  if (reply.status === 401) endSession();
  return toApiError(reply.status, reply.body);
}

/** What the time of a call went to. Null parts are those that were not recorded. */
export const callTimelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'call-timeline'],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: CallTimelineReport }>(`/admin/v1/generations/${id}/call-timeline`, { signal })).data,
  });
