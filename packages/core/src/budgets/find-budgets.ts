import type { AccountOptions } from '../account/account.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { CallBound } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { toNanoUsd } from '../catalog/nano-usd.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import type { Platform } from '../foundation/platform.ts';
import type { EffectiveBudget } from '../guardrails/effective-policy.ts';
import type { Policy } from '../guardrails/policy.ts';
import type { Principal } from '../http/request.ts';
import type { SpentQuery, WorkspaceRecord, Store } from '../stores/store.ts';
import { ACCOUNT, type Budget, type Payer } from './budget.ts';
import { type Period, periodEnd, periodStart } from './period-start.ts';
import { intervalOf } from './workspace-budgets.ts';

export interface BudgetParts {
  readonly account: AccountOptions;
  readonly platform: Pick<Platform, 'now'>;
  readonly store: Pick<Store, 'workspaces'>;
}

export function toPayer({ id, userId, workspaceId }: Principal): Payer {
  return { principalId: id, userId: userId ?? null, workspaceId: workspaceId ?? DEFAULT_WORKSPACE_ID };
}

/**
 * Finds the limits of a call: the account's credits, the key's limit, its workspace's budgets and those of guardrails.
 * Costs almost nothing for a caller without any. Synchronous where the store has its tables in memory.
 */
export function findBudgets(
  principal: Principal,
  policy: Policy | null,
  parts: BudgetParts,
): Awaitable<readonly Budget[]> {
  return whenKnown(parts.store.workspaces.get(principal.workspaceId ?? DEFAULT_WORKSPACE_ID), (workspace) =>
    toBudgets({ principal, policy, workspace }, parts),
  );
}

interface Limits {
  readonly principal: Principal;
  readonly policy: Policy | null;
  readonly workspace: WorkspaceRecord | undefined;
}

const NONE: readonly Budget[] = [];

function toBudgets({ principal, policy, workspace }: Limits, { account, platform }: BudgetParts): readonly Budget[] {
  const credits = account.creditsUsd ?? null;
  const keyLimit = principal.limitUsd ?? null;
  const ofGuardrails = policy?.budgets ?? [];
  const ofWorkspace = workspace?.budgets ?? [];
  if (credits === null && keyLimit === null && ofGuardrails.length === 0 && ofWorkspace.length === 0) return NONE;

  const payer = toPayer(principal);
  const now = platform.now();
  const limit = (limitUsd: number, period: Period): Pick<Budget, 'limitNanoUsd' | 'resetsAt'> => ({
    limitNanoUsd: toNanoUsd(limitUsd),
    resetsAt: periodEnd(period, now),
  });
  const budgets: Budget[] = [];
  if (credits !== null) {
    budgets.push({
      refusal: 'Insufficient credits',
      code: 'payment_required',
      spender: ACCOUNT,
      query: {},
      ...limit(credits, null),
      includesByok: false,
    });
  }
  if (keyLimit !== null) {
    const period = principal.limitReset ?? null;
    budgets.push({
      refusal: period === null ? 'Key limit exceeded' : `Key limit exceeded (${period})`,
      code: 'payment_required',
      ...spenderOf('api-key', payer, periodStart(period, now)),
      ...limit(keyLimit, period),
      includesByok: principal.includeByokInLimit ?? false,
    });
  }
  // The broadest first: of several that are used up, that one has to be raised.
  for (const budget of ofWorkspace.toReversed()) {
    const { limit_usd: limitUsd, reset_interval: period } = budget;
    budgets.push({
      refusal: `Workspace ${intervalOf(budget)} budget of $${limitUsd.toFixed(2)} exceeded`,
      code: 'permission_denied',
      ...spenderOf('workspace', payer, periodStart(period, now)),
      ...limit(limitUsd, period),
      includesByok: workspace?.workspace.include_byok_in_budgets ?? false,
    });
  }
  for (const { guardrailId, scope, limitUsd, resetInterval, includeByok } of ofGuardrails) {
    budgets.push({
      refusal: 'Guardrail budget exceeded',
      code: 'permission_denied',
      ...spenderOf(scope, payer, periodStart(resetInterval, now)),
      ...limit(limitUsd, resetInterval),
      includesByok: includeByok,
      guardrailId,
    });
  }
  return budgets;
}

function spenderOf(
  scope: EffectiveBudget['scope'],
  { principalId, userId, workspaceId }: Payer,
  since: string | undefined,
): { readonly spender: string; readonly query: SpentQuery } {
  switch (scope) {
    case 'api-key':
      return { spender: `key ${principalId}`, query: { principalId, since } };
    case 'member':
      return { spender: `member ${userId ?? ''}`, query: { userId: userId ?? '', since } };
    case 'workspace':
      return { spender: `workspace ${workspaceId}`, query: { workspaceId, since } };
  }
}

/** The largest usage of a call, where a budget requires it; null where no budget does. */
export function boundWithin({ kind, request }: ModelCall, budgets: readonly Budget[]): CallBound | null {
  return budgets.length === 0 ? null : kind.boundOf(request);
}
