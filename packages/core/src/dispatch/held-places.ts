import type { ModelCall } from '../calls/model-call.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { CallLimits, CallScope } from '../limits/call-limits.ts';

/** What calls hold until they end, by the kind of place: one of each kind a call. */
export interface HeldPlaces {
  /** Holds it in place of what the call held of this kind. */
  hold(callId: string, kind: string, release: () => void): void;
  has(callId: string, kind: string): boolean;
  release(callId: string, kind: string): void;
  /** Call it when a call has ended. */
  releaseAll(callId: string): void;
}

/** Creates an empty list. It costs nothing while no call holds anything. */
export function createHeldPlaces(): HeldPlaces {
  const byCall = new Map<string, Map<string, () => void>>();
  const release: HeldPlaces['release'] = (callId, kind) => {
    if (byCall.size === 0) return;
    const held = byCall.get(callId);
    held?.get(kind)?.();
    held?.delete(kind);
    if (held?.size === 0) byCall.delete(callId);
  };
  return {
    release,
    hold(callId, kind, releaseIt) {
      release(callId, kind);
      const held = byCall.get(callId) ?? new Map<string, () => void>();
      byCall.set(callId, held.set(kind, releaseIt));
    },
    has: (callId, kind) => byCall.get(callId)?.has(kind) === true,
    releaseAll(callId) {
      if (byCall.size === 0) return;
      for (const releaseIt of byCall.get(callId)?.values() ?? []) releaseIt();
      byCall.delete(callId);
    },
  };
}

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
