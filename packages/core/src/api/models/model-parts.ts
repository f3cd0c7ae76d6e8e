import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';
import type { DataRegionOf } from '../../wire/fields.ts';

export interface ModelParts extends EndpointParts {
  readonly dataRegionOf: DataRegionOf;
  readonly health: HealthBoard;
}
