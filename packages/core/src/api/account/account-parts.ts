import type { AccountOptions } from '../../auth/account.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

export interface AccountParts {
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'generations' | 'keys' | 'settings'>;
  readonly catalog: Pick<Catalog, 'find'>;
  /** The current settings. Read them again after every change. */
  readonly account: AccountOptions;
}
