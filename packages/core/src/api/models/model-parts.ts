import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';
import type { DataRegionOf } from '../../wire/data-region.ts';

export interface ModelParts extends EndpointParts {
  readonly dataRegionOf: DataRegionOf;
  readonly health: HealthBoard;
}
