import type { Endpoint } from '../catalog/catalog.ts';
import type { CallRegion } from './call-region.ts';

/** One more rule, from outside of routing. */
export interface Narrowing {
  /** Name of the rule that excludes the endpoint, e.g. `allowed_providers`. */
  readonly rule: string;
  /** The guardrail that contains the rule, if any. */
  readonly guardrailId?: string | undefined;
  /** `region` is the one whose host the request came to; null for none. */
  readonly excludes: (endpoint: Endpoint, region: CallRegion | null) => boolean;
}
