import type { GatewayError } from '../foundation/errors.ts';

/** How a call ended. */
export type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly error: GatewayError }
  | { readonly status: 'cancelled'; readonly error: GatewayError };
