import type { EndpointParts } from '../../dispatch/usable-endpoints.ts';
import type { HealthBoard } from '../../routing/health/health-board.ts';

export interface ModelParts extends EndpointParts {
  readonly health: HealthBoard;
}
