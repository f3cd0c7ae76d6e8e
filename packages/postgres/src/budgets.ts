import { randomUUID } from 'node:crypto';

import type { BudgetSlice, BudgetSlices, SlicedBudget, SliceGrant, SliceRequest } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { fromColumnId, toColumnId } from './connection/column-text.ts';
import type { Notifications } from './connection/notifications.ts';
import type { StorePart, StorePartOptions } from './store-part.ts';

export interface BudgetSlicesOptions {
  /** See `BudgetSlices`. Default: `refuse`. */
  readonly whenDown?: BudgetSlices['whenDown'] | undefined;
  /** How long the slices of an instance outlast its last renewal. Default: 75 seconds. */
  readonly lifeMs?: number | undefined;
  /**
   * An instance that begins, or was away for a life, holds no other to be dead before this time: after an outage of the
   * database, the others come back. Default: 15 seconds.
   */
  readonly patienceMs?: number | undefined;
}

/** The budgets that instances divide among themselves. */
interface BudgetSliceStore extends StorePart {
  readonly slices: BudgetSlices;
}

const RECALL_CHANNEL = 'gateway_budget_recall';
const RETURN_CHANNEL = 'gateway_budget_return';
/** Nine tenths of it are used, and it is renewed every 5 s: at least 62 s of an outage. */
const DEFAULT_LIFE_MS = 75_000;
const DEFAULT_PATIENCE_MS = 15_000;

export function openBudgetSlices(
  { connection }: Pick<StorePartOptions, 'connection'>,
  { whenDown = 'refuse', lifeMs = DEFAULT_LIFE_MS, patienceMs = DEFAULT_PATIENCE_MS }: BudgetSlicesOptions,
): BudgetSliceStore {
  const { database, notifications } = connection;
  const instanceId = randomUUID();
  const tell = (channel: string, budget: SlicedBudget): void =>
    tellOfBudget(notifications, channel, { from: instanceId, budget });
  /** Tells a late write from the latest. */
  let writes = 0;

  const read = async <Row>(query: RawBuilder<Row>): Promise<Row | undefined> => (await query.execute(database)).rows[0];
  const put = async (slices: readonly BudgetSlice[], isReturn: boolean): Promise<boolean> => {
    const column = <Value>(valueOf: (budget: SlicedBudget) => Value): Value[] =>
      slices.map(({ budget }) => valueOf(budget));
    const row = await read(sql<{ is_ours: boolean }>`select gateway.put_budget_slices(
      ${instanceId}, ${(writes += 1)}, ${column(({ kind }) => kind)}::text[],
      ${column(({ spenderId }) => toColumnId(spenderId))}::text[], ${column(({ since }) => since ?? '')}::text[],
      ${column(({ includesByok }) => includesByok)}::boolean[], ${slices.map(({ nanoUsd }) => toAmount(nanoUsd))}::bigint[],
      ${isReturn}) as is_ours`);
    return row?.is_ours === true;
  };

  return {
    slices: {
      whenDown,
      lifeMs,
      async renew() {
        const row = await read(sql<{ is_ours: boolean }>`select gateway.renew_budget_instance(
          ${instanceId}, ${toInterval(lifeMs)}::interval, ${toInterval(patienceMs)}::interval) as is_ours`);
        return row?.is_ours === true;
      },
      async take(request) {
        const grant = toGrant(await read(takeStatement(request, instanceId, (writes += 1))));
        if (grant !== null && grant.recalledFrom > 0) tell(RECALL_CHANNEL, request.budget);
        return grant;
      },
      put: (slices) => put(slices, false),
      async giveBack(slice) {
        const isOurs = await put([slice], true);
        if (isOurs) tell(RETURN_CHANNEL, slice.budget);
        return isOurs;
      },
      onRecall: (listener) =>
        listenForBudget(notifications, RECALL_CHANNEL, (budget, from) => {
          if (from !== instanceId) listener(budget);
        }),
      onGivenBack: (listener) =>
        listenForBudget(notifications, RETURN_CHANNEL, (budget, from) => {
          if (from !== instanceId) listener(budget, from);
        }),
    },
  };
}

const toInterval = (ms: number): string => `${ms / 1000} seconds`;

interface GrantRow {
  /** Null where the slices belong to no instance any more. */
  readonly slice_nano: number | null;
  readonly spent_nano: number;
  readonly held_nano: number;
  readonly available_nano: number;
  readonly recalled: number;
}

function takeStatement(request: SliceRequest, instanceId: string, number: number): RawBuilder<GrantRow> {
  const { budget, limitNanoUsd, keepNanoUsd, needNanoUsd, wantNanoUsd, recalls } = request;
  return sql<GrantRow>`select * from gateway.take_budget_slice(
    ${instanceId}, ${number}, ${budget.kind}, ${toColumnId(budget.spenderId)}, ${budget.since ?? ''},
    ${budget.includesByok}, ${toAmount(limitNanoUsd)}, ${toAmount(keepNanoUsd)}, ${toAmount(needNanoUsd)},
    ${toAmount(wantNanoUsd)}, ${recalls})`;
}

/** A billion dollars and more: a limit that stands for none, or the worst case of a call without a bound. */
const MOST_NANO_USD = 2 ** 60;

/** An amount as a `bigint`. One that no column can hold would fail the statement, and look like an outage. */
const toAmount = (nanoUsd: number): number => Math.min(nanoUsd, MOST_NANO_USD);

function toGrant(row: GrantRow | undefined): SliceGrant | null {
  if (row === undefined || row.slice_nano === null) return null;
  return {
    sliceNanoUsd: row.slice_nano,
    spentNanoUsd: row.spent_nano,
    heldElsewhereNanoUsd: row.held_nano,
    availableNanoUsd: row.available_nano,
    recalledFrom: row.recalled,
  };
}

interface BudgetNotice extends Omit<SlicedBudget, 'since'> {
  /** The instance that sends it. */
  readonly from: string;
  /** Empty for a budget without a period. */
  readonly since: string;
}

/** Tells what the statements of the database tell by themselves where it takes `LISTEN`. */
function tellOfBudget(
  notifications: Notifications,
  channel: string,
  { from, budget }: { readonly from: string; readonly budget: SlicedBudget },
): void {
  const { kind, spenderId, since, includesByok } = budget;
  const notice: BudgetNotice = { from, kind, spenderId: toColumnId(spenderId), since: since ?? '', includesByok };
  notifications.tell(channel, JSON.stringify(notice));
}

/** Calls back with the budget of each notification of a channel and the instance that has sent it. */
function listenForBudget(
  notifications: Notifications,
  channel: string,
  hear: (budget: SlicedBudget, from: string) => void,
): () => void {
  return notifications.listen(channel, (payload) => {
    const { from, kind, spenderId, since, includesByok } = JSON.parse(payload) as BudgetNotice;
    hear({ kind, spenderId: fromColumnId(spenderId), since: since === '' ? null : since, includesByok }, from);
  });
}
