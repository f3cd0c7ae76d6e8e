import type { HookParts } from '../../calls/model-call.ts';
import type { WholeCallParts } from '../../dispatch/run-whole-call.ts';
import type { RegionOf } from '../../routing/regions.ts';

export interface EmbeddingsParts extends WholeCallParts, HookParts {
  readonly regionOf: RegionOf;
}
