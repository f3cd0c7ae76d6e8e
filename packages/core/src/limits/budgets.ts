import type { LiveAccount } from '../account/account.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { CallBound } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import { toNanoUsd, toUsd } from '../foundation/money.ts';
import type { Platform } from '../foundation/platform.ts';
import type { EffectiveBudget } from '../guardrails/effective-policy.ts';
import type { Policy } from '../guardrails/policy.ts';
import type { Principal } from '../http/request.ts';
import type { Spent, SpentQuery, Store, WorkspaceRecord } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import type { KeyUsage } from '../wire/keys.ts';
import type { BudgetRaise } from '../wire/limits.ts';
import { BUDGET_INTERVALS, type BudgetInterval } from '../wire/values.ts';
import type { WorkspaceBudget } from '../wire/workspaces.ts';

export interface BudgetParts {
  readonly account: Pick<LiveAccount, 'creditsUsd' | 'budgetRaises'>;
  readonly platform: Pick<Platform, 'now'>;
}

export function toPayer({ id, userId, workspaceId }: Principal): Payer {
  return { principalId: id, userId: userId ?? null, workspaceId: workspaceId ?? DEFAULT_WORKSPACE_ID };
}

/** What limits the calls of a principal. */
interface Limits {
  readonly principal: Principal;
  readonly policy: Policy | null;
  /** Undefined while nothing of it is stored. */
  readonly workspace: WorkspaceRecord | undefined;
}

const NONE: readonly Budget[] = [];

/**
 * Finds the limits of a call: the account's credits, the key's limit, its workspace's budgets and those of guardrails.
 * Costs almost nothing for a caller without any.
 */
export function findBudgets(
  { principal, policy, workspace }: Limits,
  { account, platform }: BudgetParts,
): readonly Budget[] {
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
  const raised = (limitUsd: number, spender: string): number => limitUsd + raiseOf(account.budgetRaises, spender, now);
  if (keyLimit !== null) {
    const period = principal.limitReset ?? null;
    const ofKey = spenderOf('api-key', payer, periodStart(period, now));
    budgets.push({
      refusal: period === null ? 'Key limit exceeded' : `Key limit exceeded (${period})`,
      code: 'payment_required',
      ...ofKey,
      ...limit(raised(keyLimit, ofKey.spender), period),
      includesByok: principal.includeByokInLimit ?? false,
    });
  }
  // The broadest first: of several that are used up, that one has to be raised.
  for (const budget of ofWorkspace.toReversed()) {
    const { reset_interval: period } = budget;
    const of = spenderOf('workspace', payer, periodStart(period, now));
    const limitUsd = raised(budget.limit_usd, of.spender);
    budgets.push({
      refusal: `Workspace ${intervalOf(budget)} budget of $${limitUsd.toFixed(2)} exceeded`,
      code: 'permission_denied',
      ...of,
      ...limit(limitUsd, period),
      includesByok: workspace?.workspace.include_byok_in_budgets ?? false,
    });
  }
  for (const { guardrailId, scope, limitUsd, resetInterval, includeByok } of ofGuardrails) {
    const of = spenderOf(scope, payer, periodStart(resetInterval, now));
    budgets.push({
      refusal: 'Guardrail budget exceeded',
      code: 'permission_denied',
      ...of,
      ...limit(raised(limitUsd, of.spender), resetInterval),
      includesByok: includeByok,
      guardrailId,
    });
  }
  return budgets;
}

/** USD that the budgets of a spender have more at a moment; `key …` here is `key:…` there. */
function raiseOf(raises: readonly BudgetRaise[] | undefined, spender: string, nowMs: number): number {
  return raises === undefined ? 0 : (findRaise(raises, spender.replace(' ', ':'), nowMs)?.add_usd ?? 0);
}

/** The raise of `key:HASH`, `member:ID` or `workspace:ID` at a moment. */
export const findRaise = (
  raises: readonly BudgetRaise[] | undefined,
  of: string,
  nowMs: number,
): BudgetRaise | undefined => raises?.find((raise) => raise.of === of && Date.parse(raise.until) > nowMs);

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

/** A limit on what one spender may spend in one period. Each counts on its own. */
export interface Budget {
  /** How the refusal begins: `Key limit exceeded`. */
  readonly refusal: string;
  readonly code: 'payment_required' | 'permission_denied';
  /** Whom the ledger holds for. */
  readonly spender: string;
  /** The same spender to the store, from the first day of the present period. */
  readonly query: SpentQuery;
  readonly limitNanoUsd: number;
  /** Whether calls that the caller pays to the provider count, too. */
  readonly includesByok: boolean;
  /** The guardrail that sets it, where one does. */
  readonly guardrailId?: string | undefined;
  /** Time at which the sum starts from zero again, ISO 8601; null for never. */
  readonly resetsAt: string | null;
}

/** Whose spending a call counts for. */
export interface Payer {
  readonly principalId: string;
  readonly userId: string | null;
  readonly workspaceId: string;
}

/** The names of a payer's spenders in the ledger. */
export function spendersOf({ principalId, userId, workspaceId }: Payer): readonly string[] {
  const all = [ACCOUNT, `key ${principalId}`, `workspace ${workspaceId}`];
  return userId === null ? all : [...all, `member ${userId}`];
}

const ACCOUNT = 'account';

/** How often what was spent counts from zero again; null for never. */
type Period = 'daily' | 'weekly' | 'monthly' | null;

const DAY_MS = 24 * 60 * 60 * 1000;

/** First day of the period of `nowMs`, `YYYY-MM-DD` in UTC; weeks begin on Monday. Undefined without an end. */
export function periodStart(period: Period, nowMs: number): string | undefined {
  const now = new Date(nowMs);
  switch (period) {
    case 'daily':
      return dayOf(now);
    case 'weekly':
      return dayOf(new Date(nowMs - ((now.getUTCDay() + 6) % 7) * DAY_MS));
    case 'monthly':
      return `${dayOf(now).slice(0, 8)}01`;
    case null:
      return undefined;
  }
}

/** End of the period that contains `nowMs`, ISO 8601; null for a period without an end. */
export function periodEnd(period: Period, nowMs: number): string | null {
  const start = periodStart(period, nowMs);
  if (start === undefined) return null;
  const first = new Date(start);
  const end = new Date(first);
  if (period === 'monthly') end.setUTCMonth(first.getUTCMonth() + 1);
  else end.setUTCDate(first.getUTCDate() + (period === 'weekly' ? 7 : 1));
  return end.toISOString();
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The interval of a path. Throws `invalid_request`. */
export function readInterval(text: string | undefined): BudgetInterval {
  const interval = BUDGET_INTERVALS.find((known) => known === text);
  if (interval !== undefined) return interval;
  throw refuseField('interval', `must be one of ${BUDGET_INTERVALS.join(', ')}`);
}

export function intervalOf({ reset_interval: interval }: WorkspaceBudget): BudgetInterval {
  return interval ?? 'lifetime';
}

/**
 * Replaces the budget with the same interval, whose id and time are retained. Throws `invalid_request` unless every
 * budget is larger than all of narrower intervals: a smaller one would make them useless.
 */
export function putBudget(budgets: readonly WorkspaceBudget[], budget: WorkspaceBudget): readonly WorkspaceBudget[] {
  const former = budgets.find((other) => intervalOf(other) === intervalOf(budget));
  const put = former === undefined ? budget : { ...budget, id: former.id, created_at: former.created_at };
  const all = [...budgets.filter((other) => other !== former), put].toSorted((a, b) => widthOf(a) - widthOf(b));
  for (const [index, narrower] of all.entries()) {
    const broader = all[index + 1];
    if (broader === undefined || narrower.limit_usd < broader.limit_usd) continue;
    throw refuseField(
      'limit_usd',
      `the ${intervalOf(narrower)} budget ($${narrower.limit_usd}) must be below the ` +
        `${intervalOf(broader)} budget ($${broader.limit_usd})`,
    );
  }
  return all;
}

function widthOf(budget: WorkspaceBudget): number {
  return BUDGET_INTERVALS.indexOf(intervalOf(budget));
}

/** Spending limit of a key: USD in one period. */
interface KeyLimit {
  readonly limitUsd: number | null;
  readonly limitReset: Period;
  readonly includeByokInLimit: boolean;
}

interface KeyUsageParts {
  readonly store: Pick<Store, 'generations'>;
  readonly platform: Pick<Platform, 'now'>;
}

/**
 * Reads the amount that a principal has spent in each period, and the rest of its limit: never negative, null without a
 * limit.
 */
export async function readKeyUsage(
  principalId: string,
  limit: KeyLimit,
  { store, platform }: KeyUsageParts,
): Promise<{ readonly usage: KeyUsage; readonly remainingUsd: number | null }> {
  const now = platform.now();
  const read = async (period: Period): Promise<Spent> =>
    store.generations.spent({ principalId, since: periodStart(period, now) });
  const [ever, daily, weekly, monthly] = await Promise.all([
    read(null),
    read('daily'),
    read('weekly'),
    read('monthly'),
  ]);
  const counted = limit.limitReset === null ? ever : { daily, weekly, monthly }[limit.limitReset];
  return {
    usage: {
      usage: toUsd(ever.creditsNanoUsd),
      usage_daily: toUsd(daily.creditsNanoUsd),
      usage_weekly: toUsd(weekly.creditsNanoUsd),
      usage_monthly: toUsd(monthly.creditsNanoUsd),
      byok_usage: toUsd(ever.byokNanoUsd),
      byok_usage_daily: toUsd(daily.byokNanoUsd),
      byok_usage_weekly: toUsd(weekly.byokNanoUsd),
      byok_usage_monthly: toUsd(monthly.byokNanoUsd),
    },
    remainingUsd: remainingOf(limit, counted),
  };
}

/** In whole nano-dollars, so that no binary fraction shows. */
function remainingOf({ limitUsd, includeByokInLimit }: KeyLimit, spent: Spent): number | null {
  if (limitUsd === null) return null;
  const counted = spent.creditsNanoUsd + (includeByokInLimit ? spent.byokNanoUsd : 0);
  const limitNanoUsd = toNanoUsd(limitUsd);
  // A limit beyond what numbers hold in nano-dollars stands for none, and nobody spends a part of it that shows.
  return Number.isFinite(limitNanoUsd) ? toUsd(Math.max(0, limitNanoUsd - counted)) : limitUsd;
}
