import type { AuthenticateCaller } from '../../auth/authenticate.ts';
import type { FindKeyNames, MemberDirectory } from '../../auth/keys.ts';
import type { Broadcaster } from '../../broadcast/broadcaster.ts';
import type { Timeouts } from '../../calls/attempt.ts';
import type { OpenCalls } from '../../dispatch/open-calls.ts';
import type { Closing, Logger } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { TimerWheel } from '../../foundation/timers.ts';
import type { GenerationFeed } from '../../generations/feed.ts';
import type { Provider } from '../../providers/provider.ts';
import type { Store } from '../../stores/store.ts';

export interface GenerationParts {
  readonly platform: Platform;
  readonly wheel: TimerWheel;
  readonly timeouts: Timeouts;
  readonly store: Pick<Store, 'generations' | 'keys'>;
  readonly providers: readonly Provider[];
  readonly authenticate: AuthenticateCaller;
  readonly findKeyNames: FindKeyNames;
  readonly members: MemberDirectory;
  /** The latest generations that this process has recorded. */
  readonly generationFeed: GenerationFeed;
  readonly openCalls: Pick<OpenCalls, 'states' | 'interrupt' | 'has'>;
  readonly logger: Logger;
  readonly broadcaster: Pick<Broadcaster, 'arrivalsOf'>;
  /** Random text that identifies this gateway. */
  readonly instanceId: () => string;
  readonly closing: Pick<Closing, 'signal'>;
}
