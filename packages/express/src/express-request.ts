import type { IncomingMessage } from 'node:http';

/**
 * The part of Express's request that the adapter uses. It is described by shape, so that the types of Express 4 and 5
 * both fit and neither has to be installed for the types of this package.
 */
export interface ExpressRequest extends IncomingMessage {
  /** Where the router is mounted; empty at the root. */
  readonly baseUrl: string;
  /** Result of an earlier body parser; parsers of Express 4 leave `{}` for bodies that they did not read. */
  readonly body?: unknown;
  /** Both as `trust proxy` says. */
  readonly protocol: string;
  readonly ip?: string | undefined;
  readonly app: { get(name: string): unknown };
}

/** Express's `next`: without an error, the next handler of the host takes the request. */
export type Next = (error?: unknown) => void;
