import type { IncomingMessage } from 'node:http';

/**
 * What the adapter uses of Express's request. Described by shape, so that the types of Express 4 and 5 both fit and
 * neither has to be installed for ours.
 */
export interface ExpressRequest extends IncomingMessage {
  /** Where the router is mounted; empty at the root. */
  readonly baseUrl: string;
  /** What a body parser before us left; Express 4's parsers leave `{}` for bodies that they did not read. */
  readonly body?: unknown;
  /** Both as `trust proxy` says. */
  readonly protocol: string;
  readonly ip?: string | undefined;
  readonly app: { get(name: string): unknown };
}

/** Express's `next`: without an error the request is somebody else's. */
export type Next = (error?: unknown) => void;
