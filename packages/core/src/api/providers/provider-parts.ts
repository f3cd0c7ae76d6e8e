import type { Catalog } from '../../catalog/catalog.ts';
import type { Provider } from '../../providers/provider.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';
import type { ProviderChecks } from './provider-checks.ts';

export interface ProviderParts {
  readonly providers: readonly Provider[];
  /** Undefined where the host reports nothing about connections. */
  readonly providerChecks: ProviderChecks | undefined;
  readonly catalog: Catalog;
  readonly health: HealthBoard;
}
