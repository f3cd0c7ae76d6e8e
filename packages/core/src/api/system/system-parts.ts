import type { Authenticate } from '../../auth/authenticate.ts';
import type { Broadcaster } from '../../broadcast/broadcaster.ts';
import type { Ledger } from '../../budgets/ledger.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Counters } from '../../dispatch/counters.ts';
import type { CallFigures } from '../../generations/call-figures.ts';
import type { GenerationFeed } from '../../generations/generation-feed.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';
import type { Store } from '../../stores/store.ts';

/** What the operations on the process use of a gateway. */
export interface SystemParts {
  readonly authenticate: Authenticate;
  readonly store: Pick<Store, 'videoJobs'>;
  readonly catalog: Catalog;
  readonly health: HealthBoard;
  readonly ledger: Ledger;
  readonly broadcaster: Broadcaster;
  readonly generationFeed: GenerationFeed;
  /** Calls under way. */
  readonly openCalls: readonly { readonly isStream: boolean }[];
  /** Sums by provider. */
  readonly callFigures: CallFigures;
  /** Counters that only rise. */
  readonly counters: Counters;
  /** The OpenAPI document, as text; made when it is first asked for, and then kept. */
  readonly describeApi: () => Promise<string>;
}
