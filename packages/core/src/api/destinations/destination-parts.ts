import type { Broadcaster } from '../../broadcast/broadcaster.ts';
import type { BroadcastOptions } from '../../broadcast/destination-format.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';

export interface DestinationParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'broadcasts' | 'destinations' | 'workspaces'>;
  readonly broadcaster: Broadcaster;
  /** Undefined: nothing is sent to destinations. */
  readonly broadcast: BroadcastOptions | undefined;
}
