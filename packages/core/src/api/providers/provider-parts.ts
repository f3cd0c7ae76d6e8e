import type { Catalog } from '../../catalog/catalog.ts';
import type { Provider } from '../../providers/provider.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';
import type { ProviderChecks } from './provider-checks.ts';

/** What the operations on providers use of a gateway. */
export interface ProviderParts {
  readonly providers: readonly Provider[];
  /** Undefined where the host tells nothing of connections. */
  readonly providerChecks: ProviderChecks | undefined;
  readonly catalog: Catalog;
  readonly health: HealthBoard;
}
