import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';

/** What the operations on models use of a gateway. */
export interface ModelParts extends EndpointParts {
  readonly health: HealthBoard;
}
