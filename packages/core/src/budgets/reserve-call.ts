import type { CallBound, Narrowing } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { type Budget, spendersOf } from './budget.ts';
import { toPayer } from './find-budgets.ts';
import type { WorstCase } from './hold.ts';
import type { Ledger } from './ledger.ts';
import { worstCaseNanoUsd } from './worst-case.ts';

/** Excludes endpoints at which the cost of a call has no bound: they cannot be used within a budget. */
export function withinBounds(bound: CallBound): Narrowing {
  return { rule: 'cost_unknown', excludes: (endpoint) => worstCaseNanoUsd(endpoint, bound) === null };
}

export interface Reservation {
  readonly budgets: readonly Budget[];
  /** All endpoints that may be called. */
  readonly endpoints: readonly Endpoint[];
  readonly bound: CallBound;
}

/**
 * Holds the cost of a call at its most expensive endpoint until its generation is recorded. Throws `payment_required`
 * or `permission_denied` when the amount does not fit into a budget. Returns the held amount.
 */
export function reserveCall(
  { id, principal }: Pick<ModelCall, 'id' | 'principal'>,
  { budgets, endpoints, bound }: Reservation,
  ledger: Pick<Ledger, 'reserve'>,
): Awaitable<WorstCase> {
  const worst = worstOf(endpoints, (endpoint) => worstCaseNanoUsd(endpoint, bound) ?? 0);
  return whenKnown(ledger.reserve({ id, spenders: spendersOf(toPayer(principal)), ...worst }, budgets), () => worst);
}

/** The worst case over several endpoints, of which one will be charged. */
export function worstOf(endpoints: readonly Endpoint[], costOf: (endpoint: Endpoint) => number): WorstCase {
  let creditsNanoUsd: number | null = null;
  let anyNanoUsd = 0;
  for (const endpoint of endpoints) {
    const cost = costOf(endpoint);
    anyNanoUsd = Math.max(anyNanoUsd, cost);
    if (endpoint.provider.byok !== true) creditsNanoUsd = Math.max(creditsNanoUsd ?? 0, cost);
  }
  return { creditsNanoUsd, anyNanoUsd };
}
