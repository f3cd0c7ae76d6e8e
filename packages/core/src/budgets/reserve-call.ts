import type { CallBound } from '../calls/bound.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import type { Narrowing } from '../calls/narrowing.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { type Budget, type Caller, spendersOf } from './budget.ts';
import type { WorstCase, Ledger } from './ledger.ts';
import { worstCaseNanoUsd } from './worst-case.ts';

/** Leaves out endpoints at which a call may cost anything: within a budget nobody can be sent there. */
export function withinBounds(bound: CallBound): Narrowing {
  return { rule: 'cost_unknown', excludes: (endpoint) => worstCaseNanoUsd(endpoint, bound) === null };
}

export interface ReservedCall {
  /** Of its generation. */
  readonly id: string;
  readonly caller: Caller;
  readonly budgets: readonly Budget[];
  /** All that may be asked. */
  readonly endpoints: readonly Endpoint[];
  readonly bound: CallBound;
}

/**
 * Holds what a call may cost at the dearest of its endpoints, until its generation is recorded. Throws
 * `payment_required` or `permission_denied` when it does not fit into a budget.
 */
export function reserveCall(call: ReservedCall, ledger: Pick<Ledger, 'reserve'>): Awaitable<void> {
  const { id, caller, budgets, endpoints, bound } = call;
  const worst = worstOf(endpoints, (endpoint) => worstCaseNanoUsd(endpoint, bound) ?? 0);
  return ledger.reserve({ id, spenders: spendersOf(caller), ...worst }, budgets);
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
