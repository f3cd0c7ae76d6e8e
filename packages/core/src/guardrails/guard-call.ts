import { type ModelCall, withRequest } from '../calls/model-call.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { type GuardOptions, guardRequest } from './guard-request.ts';

/** A call that its guardrails have seen. */
export interface GuardedCall<Request> {
  /** The call in the form that is sent and stored. */
  readonly call: ModelCall<Request>;
  /** Set when the call must go no further. */
  readonly refusal: GatewayError | null;
}

/** Runs the input filters of a policy over a call. Never throws: a filter that fails refuses the call. */
export function guardCall<Request>(call: ModelCall<Request>, options: GuardOptions): GuardedCall<Request> {
  const { kind } = call;
  const { request, refusal } = guardRequest(call.request, kind.mapTexts, options);
  return { call: request === call.request ? call : withRequest(call, request), refusal };
}
