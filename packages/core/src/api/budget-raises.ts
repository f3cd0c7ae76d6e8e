import { DEFAULT_WORKSPACE_ID, type MemberDirectory } from '../auth/keys.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import { findRaise } from '../limits/budgets.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, refuseField } from '../wire/fields.ts';
import {
  type BudgetRaise,
  budgetRaiseListSchema,
  budgetRaiseResponseSchema,
  putBudgetRaiseRequestSchema,
} from '../wire/limits.ts';

export interface BudgetRaiseParts {
  readonly platform: Platform;
  readonly members: MemberDirectory;
  readonly store: Pick<Store, 'keys' | 'settings' | 'workspaces'>;
}

/** All of them are read with the settings. */
const MAX_RAISES = 1000;

const isOver = ({ until }: BudgetRaise, nowMs: number): boolean => Date.parse(until) <= nowMs;

/** `GET /admin/v1/budget-raises`: those that are not over. */
export const listBudgetRaises = operation<BudgetRaiseParts>()({
  response: budgetRaiseListSchema,
  run: ({ parts: { platform, store } }) => ({
    data: (store.settings.get().budget_raises ?? []).filter((raise) => !isOver(raise, platform.now())),
  }),
});

/** `PUT /admin/v1/budget-raises/{of}`: in the place of a raise of the same spender. It holds from the next call on. */
export const putBudgetRaise = operation<BudgetRaiseParts>()({
  params: ['of'],
  body: putBudgetRaiseRequestSchema,
  response: budgetRaiseResponseSchema,
  async run({ params: { of }, parts, body }) {
    await refuseUnknown(of, parts);
    const { platform, store } = parts;
    const nowMs = platform.now();
    if (Date.parse(body.until) <= nowMs) throw refuseField('until', 'must be in the future');
    const raise: BudgetRaise = { of, ...body, created_at: new Date(nowMs).toISOString() };
    await store.settings.update((settings) => {
      const others = (settings.budget_raises ?? []).filter((other) => other.of !== of && !isOver(other, nowMs));
      if (others.length >= MAX_RAISES)
        throw new GatewayError('invalid_request', `${MAX_RAISES} budgets are raised already; end one first`);
      return { ...settings, budget_raises: [...others, raise] };
    });
    return { data: raise };
  },
});

/** `DELETE /admin/v1/budget-raises/{of}`: the budgets are as before from the next call on. */
export const deleteBudgetRaise = operation<BudgetRaiseParts>()({
  params: ['of'],
  response: deletedSchema,
  async run({ params: { of }, parts: { platform, store } }) {
    if (findRaise(store.settings.get().budget_raises, of, platform.now()) === undefined)
      throw new GatewayError('not_found', `No budget of ${of.slice(0, 100)} is raised`);
    await store.settings.update((settings) => ({
      ...settings,
      budget_raises: settings.budget_raises?.filter((raise) => raise.of !== of),
    }));
    return { deleted: true };
  },
});

/** Throws `not_found` for a spender that there is not. */
async function refuseUnknown(of: string, { members, store }: BudgetRaiseParts): Promise<void> {
  const id = of.slice(of.indexOf(':') + 1);
  const isKnown = {
    key: async () => (await store.keys.get(id)) !== undefined,
    member: async () => (await members.get(id)) !== undefined,
    workspace: async () => id === DEFAULT_WORKSPACE_ID || (await store.workspaces.get(id)) !== undefined,
  }[of.slice(0, of.indexOf(':'))];
  if (isKnown !== undefined && id !== '' && (await isKnown())) return;
  throw new GatewayError('not_found', `There is no ${of.slice(0, 100)}; name key:HASH, member:ID or workspace:ID`);
}
