import { toUsd } from '../foundation/money.ts';
import type { Platform } from '../foundation/platform.ts';
import { listHitDays } from '../guardrails/hits.ts';
import { findRaise, periodStart } from '../limits/budgets.ts';
import type {
  AttemptFacts,
  GenerationCondition,
  GenerationFilter,
  HistogramFigures,
} from '../stores/generation-queries.ts';
import type { Spent, SpentQuery, Store } from '../stores/store.ts';
import type { Alarm, AlarmKind } from '../wire/alarms.ts';
import { boundsOf, daysBetween, readDays, readForecast, splitSubject, toDay } from './forecast.ts';

export interface MeasureParts {
  readonly store: Pick<Store, 'generations' | 'guardrailHits' | 'guardrails' | 'keys' | 'settings' | 'workspaces'>;
  readonly platform: Pick<Platform, 'now'>;
  /** The credits of the account; null for no limit. */
  readonly creditsUsd: () => number | null;
}

/** What an alarm looks at has come to. */
export interface Measured {
  readonly value: number;
  /** A sentence for its receivers. */
  readonly text: string;
}

type Rule = Pick<Alarm, 'what' | 'of' | 'threshold' | 'period' | 'window_minutes' | 'min_calls' | 'min_usd'>;
type Measure = (rule: Rule, parts: MeasureParts) => Promise<Measured | null>;

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
/** Failures, latency and spikes are looked at in this time, so that an alarm is about now. */
const WINDOW_MINUTES = 60;
const ATTEMPT_SPAN_MS = 15 * MINUTE_MS;
/** Fewer calls make no rate. */
const MIN_CALLS = 10;
/** What a spike is compared with: so many days, of which this many are to be known. */
const SPIKE_DAYS = 14;
const MIN_SPIKE_DAYS = 3;
const MIN_SPIKE_USD = 1;

/** Subjects beside the account that an alarm can look at. */
const SUBJECTS: Readonly<Record<AlarmKind, readonly string[]>> = {
  spend_share: ['key', 'workspace'],
  spend_usd: ['key', 'workspace'],
  projected_usd: ['key', 'workspace'],
  spend_spike: ['key', 'workspace'],
  error_rate: ['key', 'workspace'],
  first_token_ms: ['key', 'workspace'],
  duration_ms: ['key', 'workspace'],
  provider_down: [],
  key_refused: [],
  guardrail_hits: ['workspace'],
};

/** Why an alarm cannot look at a subject, for its author; undefined where it can. */
export function findSubjectProblem({ what, of }: Pick<Rule, 'what' | 'of'>): string | undefined {
  const [kind] = splitSubject(of);
  if (kind === 'account' || SUBJECTS[what].includes(kind)) return undefined;
  return `must be ${['account', ...SUBJECTS[what].map((name) => `${name}:…`)].join(' or ')} for ${what}`;
}

/** Why an alarm cannot look at its window, for its author; undefined where it can. */
export function findWindowProblem({
  what,
  window_minutes: minutes,
}: Pick<Rule, 'what' | 'window_minutes'>): string | undefined {
  if (what !== 'spend_spike' || minutes === undefined || minutes === WINDOW_MINUTES || minutes === DAY_MINUTES)
    return undefined;
  return `must be ${WINDOW_MINUTES} or ${DAY_MINUTES} for spend_spike`;
}

/** Looks at what an alarm is about. Null where there is nothing to look at: no budget, too few calls or days. */
export async function measureAlarm(rule: Rule, parts: MeasureParts): Promise<Measured | null> {
  return MEASURES[rule.what](rule, parts);
}

const MEASURES: Readonly<Record<AlarmKind, Measure>> = {
  async spend_share(rule, parts) {
    const budget = await findBudget(rule, parts);
    if (budget === null || budget.limitUsd <= 0) return null;
    const spent = await parts.store.generations.spent({ ...toQuery(rule.of), since: budget.since });
    const usd = toUsd(spent.creditsNanoUsd + (budget.includesByok ? spent.byokNanoUsd : 0));
    const value = (usd / budget.limitUsd) * 100;
    const name = await nameOf(rule.of, parts);
    return {
      value,
      text: `${name} has spent ${toNumber(value)} % of its budget of ${toMoney(budget.limitUsd)} (threshold: ${rule.threshold} %).`,
    };
  },

  async spend_usd(rule, parts) {
    const { from } = boundsOf(rule.period, parts.platform.now());
    const value = toUsd(sumOf(await parts.store.generations.spent({ ...toQuery(rule.of), since: from })));
    const name = await nameOf(rule.of, parts);
    return {
      value,
      text: `${name} has spent ${toMoney(value)} ${THIS[rule.period]} (threshold: ${toMoney(rule.threshold)}).`,
    };
  },

  async projected_usd(rule, parts) {
    const { projected_usd: value, low_usd: low, high_usd: high } = await readForecast(rule.of, rule.period, parts);
    if (value === null) return null;
    const name = await nameOf(rule.of, parts);
    return {
      value,
      text:
        `${name} is expected to spend ${toMoney(value)} ${THIS[rule.period]}, between ${toMoney(low ?? value)} and ` +
        `${toMoney(high ?? value)} (threshold: ${toMoney(rule.threshold)}).`,
    };
  },

  async spend_spike(rule, parts) {
    const floorUsd = rule.min_usd ?? MIN_SPIKE_USD;
    const isDay = rule.window_minutes === DAY_MINUTES;
    const spentUsd = toUsd((await readWindow(rule, parts)).costNanoUsd);
    // Most often this is all that has to be read.
    if (spentUsd < floorUsd) return null;
    const usualUsd = await findUsual(rule, isDay, parts);
    if (usualUsd === null) return null;
    // Where next to nothing is usual, the floor is what counts.
    const value = spentUsd / Math.max(usualUsd, floorUsd / rule.threshold);
    const name = await nameOf(rule.of, parts);
    return {
      value,
      text:
        `${name} has spent ${toMoney(spentUsd)} in the last ${isDay ? '24 hours' : 'hour'}; ` +
        `${toMoney(usualUsd)} is usual (threshold: ${rule.threshold} times that).`,
    };
  },

  async error_rate(rule, parts) {
    const total = await readWindow(rule, parts);
    if (total.requests < (rule.min_calls ?? MIN_CALLS)) return null;
    const value = (total.failed / total.requests) * 100;
    const name = await nameOf(rule.of, parts);
    return {
      value,
      text: `${name}: ${total.failed} of ${total.requests} calls of the last ${toSpan(rule)} failed, ${toNumber(value)} % (threshold: ${rule.threshold} %).`,
    };
  },

  first_token_ms: (rule, parts) => measureLatency(rule, 'firstTokenP95Ms', 'the first token came', parts),

  duration_ms: (rule, parts) => measureLatency(rule, 'durationP95Ms', 'calls were over', parts),

  async provider_down(_, parts) {
    const failed = await countAttempts(parts, (attempt) =>
      attempt.status === null ? (isOfProvider(attempt) ? true : null) : attempt.status >= 500,
    );
    const down = failed.filter(({ matching, attempts }) => matching === attempts);
    const worst = down[0];
    return worst === undefined
      ? null
      : {
          value: worst.matching,
          text: `${worst.provider} has answered none of its last ${worst.matching} calls.`,
        };
  },

  async key_refused(_, parts) {
    const [worst] = await countAttempts(parts, ({ status }) => status === 401 || status === 402);
    return worst === undefined
      ? null
      : {
          value: worst.matching,
          text: `${worst.provider} has refused its key or its account in ${worst.matching} calls of the last 15 minutes.`,
        };
  },

  async guardrail_hits(rule, parts) {
    const { guardrailHits, guardrails } = parts.store;
    const { from } = boundsOf(rule.period, parts.platform.now());
    const [kind, id] = splitSubject(rule.of);
    const own = new Set((await guardrails.list()).filter((each) => each.workspace_id === id).map((each) => each.id));
    let value = 0;
    for (const { guardrailId, hours } of await listHitDays(guardrailHits, { from })) {
      if (kind === 'workspace' && !own.has(guardrailId)) continue;
      for (const counts of Object.values(hours)) for (const count of Object.values(counts)) value += count;
    }
    const name = await nameOf(rule.of, parts);
    return {
      value,
      text: `${name}: guardrails have acted ${value} times ${THIS[rule.period]} (threshold: ${rule.threshold}).`,
    };
  },
};

/**
 * Whether the failure of an attempt without a response says something of its provider: none in time, or no connection. A
 * client that left, a call that the operator ended, a limit of the gateway and its own fault do not. Nor does a provider
 * that is overloaded without having said so: the gateway had no place left for the call, and sent nothing.
 */
const isOfProvider = ({ errorCode, errorType }: FailedAttempt): boolean =>
  errorCode !== null && errorType !== 'provider_overloaded' && (errorCode > 500 || errorCode === 408);

type FailedAttempt = Pick<AttemptFacts, 'status' | 'errorCode' | 'errorType'>;

const THIS = { day: 'today', week: 'this week', month: 'this month' } as const;

const sumOf = ({ creditsNanoUsd, byokNanoUsd }: Spent): number => creditsNanoUsd + byokNanoUsd;
const toMoney = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
const toNumber = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** Measures the latency of 95 in 100 calls that ended well; null where there are too few of them. */
async function measureLatency(
  rule: Rule,
  figure: 'firstTokenP95Ms' | 'durationP95Ms',
  words: string,
  parts: MeasureParts,
): Promise<Measured | null> {
  // Only streams have a first token.
  const total = await readWindow(rule, parts, figure === 'firstTokenP95Ms' ? [IS_STREAMED] : []);
  const calls = total.requests - total.failed - total.cancelled - total.interrupted;
  const value = total[figure];
  if (value === null || calls < (rule.min_calls ?? MIN_CALLS)) return null;
  const name = await nameOf(rule.of, parts);
  return {
    value,
    text: `${name}: ${words} after ${toSeconds(value)} in 95 of 100 calls of the last ${toSpan(rule)} (threshold: ${toSeconds(rule.threshold)}).`,
  };
}

const IS_STREAMED: GenerationCondition = { field: 'streamed', sign: ':', values: [true], isNegated: false };

/** The figures of the calls of the window that ends now, or so many days ago. */
async function readWindow(
  { of, window_minutes: minutes = WINDOW_MINUTES }: Rule,
  { store, platform }: MeasureParts,
  conditions: readonly GenerationCondition[] = [],
  daysAgo = 0,
): Promise<HistogramFigures> {
  const end = platform.now() - daysAgo * DAY_MS;
  const query = { startMs: end - minutes * MINUTE_MS, bucketMs: minutes * MINUTE_MS, buckets: 1 };
  const own = toFilter(of);
  const filter = {
    ...own,
    conditions: [...(own.conditions ?? []), ...conditions],
    createdFromMs: query.startMs,
    createdBeforeMs: end,
  };
  return (await store.generations.histogram({ ...query, filter })).total;
}

/** The median of the same hour of the last days, or of whole days; null where fewer than three days are known. */
async function findUsual(rule: Rule, isDay: boolean, parts: MeasureParts): Promise<number | null> {
  const nowMs = parts.platform.now();
  const today = toDay(nowMs);
  const since = toDay(nowMs - SPIKE_DAYS * DAY_MS);
  const usdOf = await readDays(rule.of, since, nowMs, parts.store);
  const [first] = [...usdOf]
    .filter(([day, usd]) => usd > 0 && day < today)
    .map(([day]) => day)
    .toSorted();
  if (first === undefined) return null;
  const days = daysBetween(first, today);
  if (days.length < MIN_SPIKE_DAYS) return null;
  const past = isDay
    ? days.map((day) => usdOf.get(day) ?? 0)
    : await Promise.all(
        days.map(async (_, index) => toUsd((await readWindow(rule, parts, [], index + 1)).costNanoUsd)),
      );
  const sorted = past.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function toSpan({ window_minutes: minutes = WINDOW_MINUTES }: Rule): string {
  return minutes === WINDOW_MINUTES ? 'hour' : minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
}

const toSeconds = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${toNumber(ms / 1000)} s`);

function toQuery(of: string): SpentQuery {
  const [kind, id] = splitSubject(of);
  return kind === 'key' ? { principalId: id } : kind === 'workspace' ? { workspaceId: id } : {};
}

function toFilter(of: string): GenerationFilter {
  const [kind, id] = splitSubject(of);
  if (kind === 'key') return { principalIds: new Set([id]) };
  if (kind !== 'workspace') return {};
  return { conditions: [{ field: 'workspace', sign: ':', values: [id.toLowerCase()], isNegated: false }] };
}

async function nameOf(of: string, { store }: MeasureParts): Promise<string> {
  const [kind, id] = splitSubject(of);
  if (kind === 'key') return `The key ${(await store.keys.get(id))?.name ?? id.slice(0, 12)}`;
  if (kind === 'workspace') return `The workspace ${(await store.workspaces.get(id))?.workspace.name ?? id}`;
  return 'The account';
}

interface FoundBudget {
  readonly limitUsd: number;
  readonly since: string | undefined;
  readonly includesByok: boolean;
}

/** The credits of the account, the limit of a key, or of a workspace the budget of the period, else the lifetime's. */
async function findBudget({ of, period }: Rule, parts: MeasureParts): Promise<FoundBudget | null> {
  const { store, platform } = parts;
  const [kind, id] = splitSubject(of);
  const addUsd = findRaise(store.settings.get().budget_raises, of, platform.now())?.add_usd ?? 0;
  if (kind === 'key') {
    const key = await store.keys.get(id);
    if (key === undefined || key.limitUsd === null) return null;
    const since = periodStart(key.limitReset, platform.now());
    return { limitUsd: key.limitUsd + addUsd, since, includesByok: key.includeByokInLimit };
  }
  if (kind === 'workspace') {
    const row = await store.workspaces.get(id);
    const wanted = { day: 'daily', week: 'weekly', month: 'monthly' }[period];
    const ofPeriod = row?.budgets.find(({ reset_interval: interval }) => interval === wanted);
    const budget = ofPeriod ?? row?.budgets.find(({ reset_interval: interval }) => interval === null);
    if (row === undefined || budget === undefined) return null;
    const since = periodStart(budget.reset_interval, platform.now());
    return { limitUsd: budget.limit_usd + addUsd, since, includesByok: row.workspace.include_byok_in_budgets };
  }
  const credits = parts.creditsUsd();
  return credits === null ? null : { limitUsd: credits, since: undefined, includesByok: false };
}

interface Attempts {
  readonly provider: string;
  readonly attempts: number;
  readonly matching: number;
}

/** Counts the attempts of the last minutes by provider, those that match; the most first. Null leaves one out. */
async function countAttempts(
  { store, platform }: MeasureParts,
  matches: (attempt: FailedAttempt) => boolean | null,
): Promise<Attempts[]> {
  const byProvider = new Map<string, { attempts: number; matching: number }>();
  const now = platform.now();
  await store.generations.scan({ fromMs: now - ATTEMPT_SPAN_MS, toMs: now }, (generation) => {
    for (const attempt of generation.readAttempts()) {
      const isMatching = matches(attempt);
      if (attempt.providerName === null || isMatching === null) continue;
      const sums = byProvider.get(attempt.providerName) ?? { attempts: 0, matching: 0 };
      byProvider.set(attempt.providerName, sums);
      sums.attempts += 1;
      if (isMatching) sums.matching += 1;
    }
  });
  return [...byProvider]
    .map(([provider, sums]) => ({ provider, ...sums }))
    .filter(({ matching }) => matching > 0)
    .toSorted((one, other) => other.matching - one.matching);
}
