import type { Transport } from '../foundation/transport.ts';

/** What announcing the end of jobs needs. */
export interface WebhookOptions {
  /** Newest first; all of them sign. None: messages are sent unsigned. */
  readonly signingSecrets?: readonly string[] | undefined;
  /** Told of every job that names no address of its own. */
  readonly defaultCallbackUrl?: string | null | undefined;
  /** Also takes callers' addresses that are not encrypted, for receivers on the same machine. Default: no. */
  readonly allowsHttp?: boolean | undefined;
  /** Must refuse addresses that callers have no business with: `createGuardedTransport` does on Node. */
  readonly transport: Transport;
  /** Why a URL can never be called, in words for its author; undefined when nothing speaks against it. */
  readonly objectToUrl: (url: string) => string | undefined;
}
