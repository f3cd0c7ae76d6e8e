import type { BoundModels } from '../../catalog/bound-models.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Provider } from '../../providers/provider.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';
import type { ProviderChecks } from '../../setup/setup-host.ts';
import type { ProviderHistories } from '../../trials/provider-histories.ts';

export interface ProviderParts {
  readonly providers: readonly Provider[];
  /** Undefined where the host reports nothing about connections. */
  /** As the host gave them. */
  readonly hostProviders: readonly Provider[];
  readonly providerChecks: ProviderChecks | undefined;
  readonly catalog: Catalog;
  /** The lists of models of providers that were asked for them, by slug. */
  readonly discovered: ReadonlyMap<string, BoundModels>;
  readonly health: HealthBoard;
  readonly providerHistories: ProviderHistories;
  readonly platform: Pick<Platform, 'now'>;
}
