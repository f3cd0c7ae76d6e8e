import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GuardrailHits } from '../guardrails/hits.ts';
import type { Policy, PolicyOf } from '../guardrails/policy.ts';
import type { Principal } from '../http/request.ts';
import { type Budget, type BudgetParts, findBudgets } from '../limits/budgets.ts';
import type { GenerationRepository } from '../stores/store.ts';

/** The rules for the calls of one principal. */
export interface Caller {
  /** Null when no guardrail holds. */
  readonly policy: Policy | null;
  /** Every limit that a call has to fit in. */
  readonly budgets: readonly Budget[];
  /** Counts what the policy does to refused calls. */
  readonly hits: Pick<GuardrailHits, 'noteRefused'>;
}

export interface CallerParts extends BudgetParts, Pick<Caller, 'hits'> {
  readonly policyOf: PolicyOf;
  readonly store: BudgetParts['store'] & { readonly generations: Pick<GenerationRepository, 'findNoRoom'> };
}

/** Synchronous with tables in memory. Rejects with `permission_denied` when a guardrail cannot be applied. */
export function findCaller(principal: Principal, parts: CallerParts): Awaitable<Caller> {
  return whenKnown(parts.policyOf(principal), (policy) =>
    whenKnown(findBudgets(principal, policy, parts), (budgets) => ({ policy, budgets, hits: parts.hits })),
  );
}

const ROOM_RETRY_SECONDS = 5;

/** Refuses a call that could not be recorded, before it costs anything: by a 503 that says why. */
export function refuseWithoutRoom({ store }: Pick<CallerParts, 'store'>): void {
  const reason = store.generations.findNoRoom?.() ?? null;
  if (reason === null) return;
  throw new GatewayError('provider_overloaded', `${reason}, so this call could not be recorded; try again shortly`, {
    retryAfterSeconds: ROOM_RETRY_SECONDS,
  });
}
