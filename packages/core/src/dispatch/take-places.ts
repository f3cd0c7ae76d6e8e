import type { ModelCall } from '../calls/model-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { CallLimits, CallScope } from '../limits/call-limits.ts';
import type { HeldPlaces } from './held-places.ts';

export interface TakingParts {
  readonly callLimits: CallLimits;
  readonly places: HeldPlaces;
}

interface TakingCall {
  readonly call: Pick<ModelCall, 'id' | 'principal' | 'labels'>;
  readonly signal: AbortSignal;
}

/**
 * Waits for a place in each limit of a call, which it holds until it ends. Resolves with null, or with the refusal where
 * another endpoint may have a place; throws a refusal that all endpoints would repeat, and the signal's reason.
 */
export async function takePlaces(
  scopes: readonly CallScope[],
  { call, signal }: TakingCall,
  { callLimits, places }: TakingParts,
): Promise<GatewayError | null> {
  // Users of one key take turns, too.
  const caller = `${call.principal.id}\n${call.labels.externalUser ?? ''}`;
  for (const scope of scopes) {
    // A further turn of the call goes on in the place that it has.
    if (places.has(call.id, scope.id)) continue;
    try {
      places.hold(call.id, scope.id, await callLimits.take(scope, caller, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (scope.isOfKey || !(error instanceof GatewayError)) throw error;
      leavePlaces(scopes, call.id, places);
      return error;
    }
  }
  return null;
}

/** Gives back the places at an endpoint that has failed; those of the key are needed at the next one. */
export function leavePlaces(scopes: readonly CallScope[], callId: string, places: HeldPlaces): void {
  for (const { id, isOfKey } of scopes) if (!isOfKey) places.release(callId, id);
}
