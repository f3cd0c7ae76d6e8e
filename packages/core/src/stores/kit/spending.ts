import { toNanoUsd } from '../../foundation/money.ts';
import type { Generation } from '../../wire/generation.ts';
import type { GenerationRecord, SpendingSum, Spent, SpentQuery } from '../store.ts';

/** What was carried from other stores, as part of a book that has it all. */
export interface CarriedSpending {
  /** Everything in the book, but for what was carried from one source. */
  list(exceptFrom?: string): Iterable<SpendingSum>;
  /** Puts the sums of a source in the place of those that it had before. */
  put(source: string, sums: readonly SpendingSum[]): void;
  /** The sums of each source. */
  readonly sources: ReadonlyMap<string, readonly SpendingSum[]>;
}

/** Begins with nothing that was carried. */
export function createCarriedSpending(book: SpendingBook): CarriedSpending {
  const sources = new Map<string, readonly SpendingSum[]>();
  return {
    *list(exceptFrom) {
      const left = createSpendingBook();
      for (const sum of book.sums()) left.addSum(sum);
      if (exceptFrom !== undefined) for (const sum of sources.get(exceptFrom) ?? []) left.subtractSum(sum);
      yield* left.sums();
    },
    put(source, sums) {
      for (const sum of sources.get(source) ?? []) book.subtractSum(sum);
      for (const sum of sums) book.addSum(sum);
      sources.set(source, sums);
    },
    sources,
  };
}

/** Whose spending a sum is. */
interface Spender {
  readonly principalId: string;
  /** The member whose call it was, where there was one. */
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
}

/** One sum of a book: the amount spent on a day, or, with the day `''`, on all days before the separate ones. */
export interface SpendingEntry extends Spent, Spender {
  readonly day: string;
}

/** The amounts that all principals have spent, by day. */
export interface SpendingBook {
  /**
   * Goes by this clock from now on: a day after tomorrow, which a clock that was ahead has left, counts as tomorrow.
   * Otherwise its spending would be part of every period until that day comes.
   */
  follow(now: () => number): void;
  /**
   * What is added until `endStored` was stored before, and comes in the order in which it was recorded: a day after
   * tomorrow counts as the last one before it that is not ahead, or else is older than all periods. As another tomorrow
   * after each start, it would be part of the periods of all these days.
   */
  beginStored(): void;
  endStored(): void;
  add(entry: SpendingEntry): void;
  /** Takes away what was added before. */
  subtract(entry: SpendingEntry): void;
  /** Adds a sum of one spender, of which it is not known what it consists of: no entry has it. */
  addSum(sum: SpendingSum): void;
  subtractSum(sum: SpendingSum): void;
  /** All of a principal's spending. */
  totalNanoUsd(principalId: string): number;
  spent(query: SpentQuery): Spent;
  entries(): Iterable<SpendingEntry>;
  /** What each spender has spent, by day, as far as it is not zero: entries and added sums. */
  sums(): Iterable<SpendingSum>;
}

/**
 * Days with spending, more than any period of a query has; older ones are added up. They are counted, not measured from
 * the newest one, because that may be of a clock that was ahead. Days that are ahead have as many places of their own:
 * they leave the others theirs, and all are told apart where it is this clock that is behind.
 */
const DAYS_TOLD_APART = 41;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Sums {
  creditsNanoUsd: number;
  byokNanoUsd: number;
}

type Days = Map<string, Sums>;

/** A spender's own sums, and all sums that include them, so that a query does not have to add them up. */
interface Account {
  readonly spender: Spender;
  readonly own: Days;
  readonly all: readonly Days[];
}

/** Creates an empty book. It grows with the number of principals, not with what they do. */
export function createSpendingBook(): SpendingBook {
  /** Accounts by principal: one, unless their member or workspace has changed. */
  const accounts = new Map<string, Account[]>();
  const total: Days = new Map();
  const principals = new Map<string, Days>();
  const members = new Map<string, Days>();
  const workspaces = new Map<string, Days>();
  const toldApart = new Set<string>();
  /** The newest day that was added up, and the newest of those that were ahead. */
  let addedUpThrough = '';
  let addedUpAheadThrough = '';
  /** While what was stored is read: the newest day in it that is not ahead. */
  let newestStored: string | undefined;
  let clock: (() => number) | undefined;
  /** For how long `tomorrow` is right. */
  let beginsAt = 0;
  let endsAt = 0;
  let tomorrow = '';
  /** As which day each one counts that was found ahead of the clock: what was tomorrow then, or stored before it. */
  const foundAhead = new Map<string, string>();

  const accountOf = ({ principalId, userId, workspaceId }: Spender): Account => {
    const known = accounts.get(principalId);
    const found = known?.find(({ spender }) => spender.userId === userId && spender.workspaceId === workspaceId);
    if (found !== undefined) return found;
    const own: Days = new Map();
    const all = [own, total, daysOf(principals, principalId)];
    if (userId !== undefined) all.push(daysOf(members, userId));
    if (workspaceId !== undefined) all.push(daysOf(workspaces, workspaceId));
    const account: Account = { spender: { principalId, userId, workspaceId }, own, all };
    if (known === undefined) accounts.set(principalId, [account]);
    else known.push(account);
    return account;
  };
  const lookAtClock = (): void => {
    if (clock === undefined) return;
    const nowMs = clock();
    if (nowMs >= beginsAt && nowMs < endsAt) return;
    beginsAt = Math.floor(nowMs / DAY_MS) * DAY_MS;
    endsAt = beginsAt + DAY_MS;
    tomorrow = new Date(endsAt).toISOString().slice(0, 10);
    for (const day of toldApart) noteAhead(day);
  };
  const isAhead = (day: string): boolean => clock !== undefined && day > tomorrow;
  const noteAhead = (day: string): void => {
    if (isAhead(day) && !foundAhead.has(day)) foundAhead.set(day, newestStored ?? tomorrow);
  };
  /** The day as which a day counts. It is kept as it is: the clock may be behind, and be put right. */
  const toCountedDay = (day: string): string => (isAhead(day) ? (foundAhead.get(day) ?? day) : day);
  const isAddedUp = (day: string): boolean => day <= addedUpThrough || (day <= addedUpAheadThrough && isAhead(day));
  const toBookedDay = (day: string): string => {
    if (newestStored !== undefined && day > newestStored && !isAhead(day)) newestStored = day;
    if (toldApart.has(day)) return day;
    lookAtClock();
    if (isAddedUp(day)) return '';
    toldApart.add(day);
    noteAhead(day);
    addUpOldest(
      (each) => !isAhead(each),
      (oldest) => void (addedUpThrough = oldest),
    );
    addUpOldest(isAhead, (oldest) => void (addedUpAheadThrough = oldest));
    return toldApart.has(day) ? day : '';
  };
  const addUpOldest = (isOfThese: (day: string) => boolean, added: (oldest: string) => void): void => {
    const days = [...toldApart].filter(isOfThese).toSorted();
    for (const oldest of days.slice(0, Math.max(0, days.length - DAYS_TOLD_APART))) {
      addUpDay(oldest);
      added(oldest);
    }
  };
  const book = (entry: SpendingEntry, sign: 1 | -1): void => {
    const day = toBookedDay(entry.day);
    for (const days of accountOf(entry).all) addTo(days, day, entry, sign);
  };
  const bookSum = (sum: SpendingSum, sign: 1 | -1): void => addTo(spenderDays(sum), toBookedDay(sum.day), sum, sign);
  const spenderDays = ({ kind, id }: Pick<SpendingSum, 'kind' | 'id'>): Days => {
    switch (kind) {
      case 'account':
        return total;
      case 'key':
        return daysOf(principals, id);
      case 'member':
        return daysOf(members, id);
      case 'workspace':
        return daysOf(workspaces, id);
    }
  };
  const addUpDay = (oldest: string): void => {
    toldApart.delete(oldest);
    foundAhead.delete(oldest);
    const owns = [...accounts.values()].flat().map(({ own }) => own);
    for (const days of [total, ...owns, ...principals.values(), ...members.values(), ...workspaces.values()]) {
      const sums = days.get(oldest);
      if (sums === undefined) continue;
      days.delete(oldest);
      addTo(days, '', sums, 1);
    }
  };
  const findDays = ({ principalId, userId, workspaceId }: SpentQuery): Days | undefined => {
    if (principalId !== undefined) return principals.get(principalId);
    if (userId !== undefined) return members.get(userId);
    return workspaceId === undefined ? total : workspaces.get(workspaceId);
  };
  const spent = (query: SpentQuery): Spent => {
    lookAtClock();
    const sum: Sums = { creditsNanoUsd: 0, byokNanoUsd: 0 };
    const { since = '' } = query;
    for (const [day, { creditsNanoUsd, byokNanoUsd }] of findDays(query) ?? NO_DAYS) {
      if (toCountedDay(day) < since) continue;
      sum.creditsNanoUsd += creditsNanoUsd;
      sum.byokNanoUsd += byokNanoUsd;
    }
    return sum;
  };

  return {
    follow(now) {
      clock = now;
      lookAtClock();
    },
    beginStored: () => void (newestStored = ''),
    endStored: () => void (newestStored = undefined),
    add: (entry) => book(entry, 1),
    subtract: (entry) => book(entry, -1),
    addSum: (sum) => bookSum(sum, 1),
    subtractSum: (sum) => bookSum(sum, -1),
    totalNanoUsd(principalId) {
      const { creditsNanoUsd, byokNanoUsd } = spent({ principalId });
      return creditsNanoUsd + byokNanoUsd;
    },
    spent,
    *entries() {
      for (const { spender, own } of [...accounts.values()].flat()) {
        for (const [day, sums] of own) yield { ...spender, day, ...sums };
      }
    },
    *sums() {
      yield* sumsOf('account', '', total);
      for (const [id, days] of principals) yield* sumsOf('key', id, days);
      for (const [id, days] of members) yield* sumsOf('member', id, days);
      for (const [id, days] of workspaces) yield* sumsOf('workspace', id, days);
    },
  };
}

function* sumsOf(kind: SpendingSum['kind'], id: string, days: Days): Iterable<SpendingSum> {
  for (const [day, { creditsNanoUsd, byokNanoUsd }] of days) {
    if (creditsNanoUsd !== 0 || byokNanoUsd !== 0) yield { kind, id, day, creditsNanoUsd, byokNanoUsd };
  }
}

const NO_DAYS: Days = new Map();

/** The amounts that a generation adds to the book. */
export function toSpending({ generation, principalId, userId, costNanoUsd }: GenerationRecord): SpendingEntry {
  return {
    principalId,
    userId,
    workspaceId: generation.workspace_id ?? undefined,
    day: generation.created_at.slice(0, 10),
    ...toSpent(generation, costNanoUsd),
  };
}

/** Who pays what of the cost of a generation. With the caller's own key, the fee alone is the account's. */
export function toSpent(generation: Pick<Generation, 'is_byok' | 'byok_fee'>, costNanoUsd: number): Spent {
  if (!generation.is_byok) return { creditsNanoUsd: costNanoUsd, byokNanoUsd: 0 };
  const fee = feeNanoUsdOf(generation);
  return { creditsNanoUsd: fee, byokNanoUsd: costNanoUsd - fee };
}

/** The fee in the cost of a generation, in nano-dollars. */
export const feeNanoUsdOf = ({ byok_fee: fee = 0 }: Pick<Generation, 'byok_fee'>): number => toNanoUsd(fee);

function daysOf(days: Map<string, Days>, id: string): Days {
  const known = days.get(id) ?? new Map<string, Sums>();
  days.set(id, known);
  return known;
}

function addTo(days: Days, day: string, { creditsNanoUsd, byokNanoUsd }: Sums, sign: 1 | -1): void {
  const sums = days.get(day);
  if (sums === undefined) {
    days.set(day, { creditsNanoUsd: sign * creditsNanoUsd, byokNanoUsd: sign * byokNanoUsd });
    return;
  }
  sums.creditsNanoUsd += sign * creditsNanoUsd;
  sums.byokNanoUsd += sign * byokNanoUsd;
}
