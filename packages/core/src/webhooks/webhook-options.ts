import type { Transport } from '../foundation/transport.ts';

/** The options that webhooks about the end of jobs require. */
export interface WebhookOptions {
  /** Newest first; all of them sign. None: messages are sent unsigned. */
  readonly signingSecrets?: readonly string[] | undefined;
  /** Receives the webhooks of every job without an address of its own or its workspace's. As strict as for callers. */
  readonly defaultCallbackUrl?: string | null | undefined;
  /** Also accepts addresses that are not encrypted, for receivers on the same machine. Default: no. */
  readonly allowsHttp?: boolean | undefined;
  /** Must refuse internal addresses: `createGuardedTransport` does on Node. */
  readonly transport: Transport;
  /** Describes why a URL can never be called, for its author; undefined for an allowed URL. */
  readonly objectToUrl: (url: string) => string | undefined;
}
