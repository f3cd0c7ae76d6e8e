import type { IncomingMessage } from 'node:http';

/**
 * The part of Express's request that the adapter uses. Described by its shape, so that Express 4 and 5 both fit and
 * neither is required for the types of this package.
 */
export interface ExpressRequest extends IncomingMessage {
  /** The path at which the router is mounted; empty at the root. */
  readonly baseUrl: string;
  /** Result of an earlier body parser; parsers of Express 4 leave `{}` for bodies that they did not read. */
  readonly body?: unknown;
  /** Both according to `trust proxy`. */
  readonly protocol: string;
  readonly ip?: string | undefined;
  readonly app: { get(name: string): unknown };
}

/** Express's `next`: without an error, the request goes to the next handler of the host. */
export type Next = (error?: unknown) => void;
