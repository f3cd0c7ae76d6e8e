import {
  type BudgetSlices,
  createWebPlatform,
  type GenerationRecord,
  type Platform,
  type Store,
} from '@model-gateway/core';
import { createPostgresStore, type PostgresStoreOptions } from '@model-gateway/postgres';

import { type Budget, spendersOf } from '../../../packages/core/src/limits/budgets.ts';
import type { Hold, Ledger } from '../../../packages/core/src/limits/ledger.ts';
import { createSharedLedger } from '../../../packages/core/src/limits/shared/shared-ledger.ts';
import { toRecord } from '../../../packages/core/testing/rows.ts';

/** What an instance of the gateway has to do with budgets: a store, a ledger, and calls that cost something. */
export interface BudgetInstance {
  readonly store: Store;
  readonly ledger: Ledger;
  /** Makes a call that may cost `worst`, and costs `cost`. Resolves with whether it was admitted. */
  call(call: BudgetedCall): Promise<boolean>;
  close(): Promise<void>;
}

export interface BudgetedCall {
  readonly budgets: readonly Budget[];
  readonly worst: number;
  readonly cost: number;
  readonly key?: string;
  readonly user?: string;
  /** Awaited between the admission and the record. */
  readonly during?: () => Promise<void>;
  readonly isByok?: boolean;
  /** What the account pays of the cost of such a call, and of its worst case. */
  readonly fee?: number;
}

export interface BudgetInstanceOptions extends PostgresStoreOptions {
  readonly platform?: Platform;
  readonly onRefusal?: (error: unknown) => void;
  /** As of the ledger. */
  readonly recallLimitMs?: number;
  /** Called with each question to the store about budgets. */
  readonly onStatement?: (name: 'renew' | 'take' | 'put' | 'giveBack') => void;
  /** Stands between the ledger and the store: what is lost on the way, for example. */
  readonly throughSlices?: (slices: BudgetSlices) => BudgetSlices;
}

/** Time enough for a recall on any machine. */
export const SLOW_RECALL = { recallLimitMs: 10_000 };

export const CENT = 10_000_000;

/** A limit on what a key may spend; other spenders by `changes`. */
export function budgetOf(limitNanoUsd: number, changes: Partial<Budget> = {}): Budget {
  return {
    refusal: 'Key limit exceeded',
    code: 'payment_required',
    spender: 'key k',
    query: { principalId: 'k' },
    limitNanoUsd,
    includesByok: false,
    resetsAt: null,
    ...changes,
  };
}

/** What a call of that key sets aside until it is recorded. */
export function holdOf(id: string, nanoUsd: number): Hold {
  return { id, spenders: ['key k'], creditsNanoUsd: nanoUsd, anyNanoUsd: nanoUsd };
}

let calls = 0;

export function nextGenerationId(): string {
  calls += 1;
  const random = crypto.randomUUID().slice(0, 8);
  return `gen-${Math.floor(Date.now() / 1000)}-${random}${calls}`;
}

export async function openBudgetInstance(options: BudgetInstanceOptions): Promise<BudgetInstance> {
  const store = await createPostgresStore(options);
  const { budgetSlices, generations } = store;
  if (budgetSlices === undefined) throw new Error('The store divides no budgets');
  const { throughSlices = (slices) => slices, recallLimitMs } = options;
  const slices = noting(throughSlices(budgetSlices), options.onStatement);
  const platform = options.platform ?? createWebPlatform();
  const ledger = createSharedLedger({ slices, generations, platform, recallLimitMs });
  return {
    store,
    ledger,
    async call({ budgets, worst, cost, key = 'k', user, during, isByok = false, fee }) {
      const id = nextGenerationId();
      const spenders = spendersOf({ principalId: key, userId: user ?? null, workspaceId: 'default' });
      const credits = (any: number): number | null => (isByok ? (fee ?? null) : any);
      const hold = { id, spenders, creditsNanoUsd: credits(worst), anyNanoUsd: worst };
      try {
        await ledger.reserve(hold, budgets);
      } catch (error) {
        options.onRefusal?.(error);
        return false;
      }
      await during?.();
      await generations.append(toCall(id, { key, user, cost, isByok, ...(fee !== undefined && { fee }) }), null);
      ledger.release(id, { creditsNanoUsd: credits(cost), anyNanoUsd: cost });
      return true;
    },
    async close() {
      await ledger.close();
      await store.close();
    },
  };
}

function noting(slices: BudgetSlices, note: BudgetInstanceOptions['onStatement']): BudgetSlices {
  const noted =
    <Values extends readonly unknown[], Result>(
      name: 'renew' | 'take' | 'put' | 'giveBack',
      work: (...values: Values) => Result,
    ) =>
    (...values: Values): Result => {
      note?.(name);
      return work(...values);
    };
  return {
    ...slices,
    renew: noted('renew', slices.renew),
    take: noted('take', slices.take),
    put: noted('put', slices.put),
    giveBack: noted('giveBack', slices.giveBack),
  };
}

function toCall(
  id: string,
  call: Pick<BudgetedCall, 'cost' | 'fee'> & {
    readonly key: string;
    readonly user: string | undefined;
    readonly isByok: boolean;
  },
): GenerationRecord {
  return toRecord(id, {
    principalId: call.key,
    ...(call.user !== undefined && { userId: call.user }),
    costNanoUsd: call.cost,
    generation: {
      created_at: new Date().toISOString(),
      workspace_id: 'default',
      is_byok: call.isByok,
      total_cost: call.cost / 1e9,
      ...(call.fee !== undefined && { byok_fee: call.fee / 1e9 }),
    },
  });
}
