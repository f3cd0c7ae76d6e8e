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
