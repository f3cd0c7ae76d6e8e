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
  /** The same rule for the providers behind an endpoint that is a gateway; absent for a rule that says nothing of them. */
  readonly onward?: ((endpoint: Endpoint) => OnwardDemand | null) | undefined;
}

/** A demand on the providers behind a gateway. */
export interface OnwardDemand {
  readonly ignore?: readonly string[];
  readonly zdr?: true;
  readonly training?: false;
}
