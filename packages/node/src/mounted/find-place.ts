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
 * Finds a request's place below `mountPath`; undefined for one that is elsewhere. Middleware (Express, Nest, middie)
 * removes the path at which it calls a handler, and leaves the whole in `originalUrl`. `mountPath` may follow what was
 * removed, or be the whole path.
 */
export function findPlace(
  { url = '/', originalUrl }: IncomingMessage & { readonly originalUrl?: unknown },
  mountPath: string,
): Place | undefined {
  const whole = typeof originalUrl === 'string' ? originalUrl : url;
  if (mountPath === '' || url.startsWith(`${mountPath}/`)) {
    const removed = whole.endsWith(url) ? whole.slice(0, -url.length) : '';
    return toPlace(url.slice(mountPath.length), removed + mountPath);
  }
  return whole.startsWith(`${mountPath}/`) ? toPlace(whole.slice(mountPath.length), mountPath) : undefined;
}

function toPlace(url: string, mountPath: string): Place {
  const queryAt = url.indexOf('?');
  return { url, path: queryAt === -1 ? url : url.slice(0, queryAt), mountPath };
}
