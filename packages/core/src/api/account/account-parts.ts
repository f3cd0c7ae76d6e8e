import type { LiveAccount } from '../../account/account.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { RateLimitOptions } from '../../limits/rate-limits.ts';
import type { Store } from '../../stores/store.ts';

export interface AccountParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'generations' | 'keys' | 'settings'>;
  readonly catalog: Catalog;
  /** The current settings. Read them again after every change. */
  readonly account: LiveAccount;
  readonly setup: { readonly rateLimits?: RateLimitOptions | undefined };
}
