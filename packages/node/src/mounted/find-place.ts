import type { IncomingMessage } from 'node:http';

/** Where a request is, seen from a mounted gateway. */
export interface Place {
  /** Path and query below the mount, beginning with a slash. */
  readonly url: string;
  readonly path: string;
  /** The path of the mount as the client sees it; empty at the root. */
  readonly mountPath: string;
}

/**
 * Finds a request's place below `mountPath`; undefined for one that is elsewhere. Middleware (Express, connect, middie)
 * removes the path that it mounts a handler at, and leaves the whole in `originalUrl`; that part belongs to the mount,
 * and may already be all of it.
 */
export function findPlace(request: IncomingMessage, mountPath: string): Place | undefined {
  const { url = '/' } = request;
  const removed = removedPathOf(request, url);
  if (mountPath === '') return toPlace(url, removed);
  if (url.startsWith(`${mountPath}/`)) return toPlace(url.slice(mountPath.length), removed + mountPath);
  return removed === mountPath ? toPlace(url, removed) : undefined;
}

function removedPathOf({ originalUrl }: IncomingMessage & { readonly originalUrl?: unknown }, url: string): string {
  return typeof originalUrl === 'string' && originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : '';
}

function toPlace(url: string, mountPath: string): Place {
  const queryAt = url.indexOf('?');
  return { url, path: queryAt === -1 ? url : url.slice(0, queryAt), mountPath };
}
