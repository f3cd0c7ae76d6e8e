import type { CallBound } from '../calls/bound.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Narrowing } from '../calls/narrowing.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import { type Budget, spendersOf } from './budget.ts';
import { toPayer } from './find-budgets.ts';
import type { Ledger, WorstCase } from './ledger.ts';
import { worstCaseNanoUsd } from './worst-case.ts';

/** What a call can use at the most, where a budget makes that matter; null where none does. */
export function boundWithin({ kind, request }: ModelCall, budgets: readonly Budget[]): CallBound | null {
  return budgets.length === 0 ? null : kind.boundOf(request);
}

/** Leaves out endpoints at which a call may cost anything: within a budget nobody can be sent there. */
export function withinBounds(bound: CallBound): Narrowing {
  return { rule: 'cost_unknown', excludes: (endpoint) => worstCaseNanoUsd(endpoint, bound) === null };
}

export interface Reservation {
  readonly budgets: readonly Budget[];
  /** All that may be asked. */
  readonly endpoints: readonly Endpoint[];
  readonly bound: CallBound;
}

/**
 * Holds what a call may cost at the dearest of its endpoints, until its generation is recorded. Throws
 * `payment_required` or `permission_denied` when it does not fit into a budget. Tells what is held.
 */
export function reserveCall(
  { id, principal }: Pick<ModelCall, 'id' | 'principal'>,
  { budgets, endpoints, bound }: Reservation,
  ledger: Pick<Ledger, 'reserve'>,
): Awaitable<WorstCase> {
  const worst = worstOf(endpoints, (endpoint) => worstCaseNanoUsd(endpoint, bound) ?? 0);
  const reserved = ledger.reserve({ id, spenders: spendersOf(toPayer(principal)), ...worst }, budgets);
  return reserved instanceof Promise ? reserved.then(() => worst) : worst;
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
