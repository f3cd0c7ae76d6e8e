import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';

/** The parts of a gateway that the operations on models use. */
export interface ModelParts extends EndpointParts {
  readonly health: HealthBoard;
}
