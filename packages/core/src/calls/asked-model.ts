import type { ModelCall } from './model-call.ts';

/*
 * What refuses a call is thrown, and whoever notes the refusal has the request and the error alone. The model goes with
 * the error, so that calls that are not refused pay nothing for it.
 */

const models = new WeakMap<object, string>();

/** Notes which model the call asked for that this error ends; returns the error. */
export function withAskedModel<Thrown>(thrown: Thrown, call: Pick<ModelCall, 'kind' | 'request' | 'ruled'>): Thrown {
  const asked = call.ruled === undefined ? call.kind.modelsOf(call.request).model : call.ruled.requested;
  if (asked != null && typeof thrown === 'object' && thrown !== null) models.set(thrown, asked);
  return thrown;
}

/** The model that was asked for; null where the call was refused before that was known. */
export const askedModelOf = (error: object): string | null => models.get(error) ?? null;
