import type { ModelCall } from '../../calls/model-call.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import type { RunningFigures } from '../../stores/store.ts';

/** The state of a call that has not ended. */
export interface CallState {
  readonly call: ModelCall;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly isStreamed: boolean;
  /** `waiting`: no endpoint is asked right now. `asked`: one is. `responding`: a completion has begun. */
  readonly phase: 'waiting' | 'asked' | 'responding';
  /** The endpoint that is asked or relayed, or was asked last. */
  readonly endpoint: Endpoint | undefined;
  /** Endpoints that were asked, the present one included. */
  readonly attempts: number;
  /** Usage up to now; undefined where none is known. */
  readonly figures: RunningFigures | undefined;
}

/** A call that can be looked at while it runs. */
export interface FollowedCall {
  id(): string;
  /** Whether its outcome is decided, though it may not be stored yet. */
  isSettled(): boolean;
  state(): CallState;
}
