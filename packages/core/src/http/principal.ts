import type { Awaitable } from '../foundation/awaitable.ts';

/**
 * A host's own sign-in, which takes the place of the gateway's keys: returns the caller of a request of the host, or
 * null, which leads to a 401. Throw a `GatewayError` to refuse for another reason; anything else that it throws is a
 * failure of the host.
 */
export type Authenticate<HostRequest> = (request: HostRequest) => Awaitable<Principal | null>;

/**
 * The caller. An `api` principal may use models and read what it made; a `management` principal administers and may
 * read everything, but cannot call models.
 */
export interface Principal {
  readonly kind: 'api' | 'management';
  /** The key's SHA-256 in hex, or any stable id by which the embedder's own authentication knows the caller. */
  readonly id: string;
  readonly name: string;
  /** The member that the key belongs to, where there is one. */
  readonly userId?: string | undefined;
  /** The workspace that the key belongs to; absent means the default one. */
  readonly workspaceId?: string | undefined;
  /** Spending limit of the key in USD; absent or null means none. */
  readonly limitUsd?: number | null | undefined;
  /** How often the count for the limit starts again; absent or null means never. */
  readonly limitReset?: 'daily' | 'weekly' | 'monthly' | null | undefined;
  /** Whether calls that the caller pays to the provider count too. */
  readonly includeByokInLimit?: boolean | undefined;
  /** The user whom the key was made for: the `external_user` of calls that name none. */
  readonly externalUser?: string | undefined;
}
