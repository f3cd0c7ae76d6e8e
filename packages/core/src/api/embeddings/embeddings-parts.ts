import type { WholeCallParts } from '../../dispatch/run-whole-call.ts';
import type { RegionOf } from '../../routing/region-of.ts';

/** What embeddings are made of. */
export interface EmbeddingsParts extends WholeCallParts {
  readonly regionOf: RegionOf;
}
