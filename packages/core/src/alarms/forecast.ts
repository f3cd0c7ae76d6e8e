import { NANO_PER_USD } from '../foundation/money.ts';
import type { Platform } from '../foundation/platform.ts';
import { periodEnd, periodStart } from '../limits/budgets.ts';
import type { Store } from '../stores/store.ts';
import type { AlarmPeriod, Forecast } from '../wire/alarms.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Older days say little about the next ones. */
export const KNOWN_DAYS = 56;
const MIN_DAYS = 3;
const WEEK = 7;
/** One in ten lies above this many standard deviations, and one in ten below. */
const TENTH = 1.28;

export interface ForecastParts {
  readonly store: Pick<Store, 'generations'>;
  readonly platform: Pick<Platform, 'now'>;
}

const INTERVALS = { day: 'daily', week: 'weekly', month: 'monthly' } as const;

/** First day of the present period, and the first after it, `YYYY-MM-DD` in UTC. */
export function boundsOf(period: AlarmPeriod, nowMs: number): { readonly from: string; readonly until: string } {
  const interval = INTERVALS[period];
  return { from: periodStart(interval, nowMs) as string, until: (periodEnd(interval, nowMs) as string).slice(0, 10) };
}

/** Reads what the days have cost, and expects the rest of the period. `of`: `account`, `key:…`, `member:…`, `workspace:…` or `model:…`. */
export async function readForecast(of: string, period: AlarmPeriod, parts: ForecastParts): Promise<Forecast> {
  const nowMs = parts.platform.now();
  const today = toDay(nowMs);
  const { from, until } = boundsOf(period, nowMs);
  const history = toDay(Date.parse(today) - KNOWN_DAYS * DAY_MS);
  const usdOf = await readDays(of, history < from ? history : from, nowMs, parts.store);
  const known = daysBetween(history, today).map((day) => usdOf.get(day) ?? 0);
  const begin = known.findIndex((usd) => usd > 0);
  const past = begin === -1 ? [] : known.slice(begin);
  const spentToday = usdOf.get(today) ?? 0;
  const dayShare = (nowMs - Date.parse(today)) / DAY_MS;
  const ahead = daysBetween(today, until);
  const expected = expectDays(past, new Date(today).getUTCDay(), ahead.length, dayShare);
  const spent = daysBetween(from, today).reduce((sum, day) => sum + (usdOf.get(day) ?? 0), 0) + spentToday;
  const rest = expected && expected.usd.reduce((sum, usd) => sum + usd, 0);
  return {
    of,
    period,
    from,
    until,
    spent_usd: round(spent),
    projected_usd: rest === null ? null : round(spent + rest),
    low_usd: expected === null || rest === null ? null : round(spent + Math.max(0, rest - TENTH * expected.deviation)),
    high_usd: expected === null || rest === null ? null : round(spent + rest + TENTH * expected.deviation),
    known_days: past.length,
    days: daysBetween(from, until).map((date) => ({
      date,
      spent_usd: round(usdOf.get(date) ?? 0),
      expected_usd: date < today ? 0 : expected === null ? null : round(expected.usd[ahead.indexOf(date)] ?? 0),
    })),
  };
}

/** Everything that calls cost a day, whoever pays it. USD by day. */
export async function readDays(
  of: string,
  since: string,
  nowMs: number,
  { generations }: ForecastParts['store'],
): Promise<Map<string, number>> {
  const [kind, id] = splitSubject(of);
  const days = new Map<string, number>();
  if (kind === 'member') {
    // The sums of days do not know members.
    const startMs = Date.parse(since);
    const filter = { userIds: new Set([id]), createdFromMs: startMs, createdBeforeMs: nowMs };
    const query = { filter, startMs, bucketMs: DAY_MS, buckets: Math.ceil((nowMs - startMs) / DAY_MS) };
    for (const bucket of (await generations.histogram(query)).buckets)
      days.set(toDay(bucket.startMs), bucket.costNanoUsd / NANO_PER_USD);
    return days;
  }
  const principalIds = kind === 'key' ? new Set([id]) : undefined;
  for (const sum of await generations.activity({ since, principalIds })) {
    if (kind === 'workspace' && sum.workspaceId !== id) continue;
    if (kind === 'model' && sum.model !== id) continue;
    days.set(sum.date, (days.get(sum.date) ?? 0) + (sum.creditsNanoUsd + sum.byokNanoUsd) / NANO_PER_USD);
  }
  return days;
}

/** `key:abc` as its two parts; the second of `account` is empty. */
export function splitSubject(of: string): readonly [kind: string, id: string] {
  const at = of.indexOf(':');
  return at === -1 ? [of, ''] : [of.slice(0, at), of.slice(at + 1)];
}

/** What is expected of the days from today on, and the standard deviation of their sum. */
export interface Expectation {
  readonly usd: readonly number[];
  readonly deviation: number;
}

/**
 * Expects the days from today on, of which a share is over, from the whole days before it, oldest first. A level, a
 * trend as far as it is more than noise, and the days of the week. Null with fewer than three days.
 */
export function expectDays(
  past: readonly number[],
  todaysWeekday: number,
  count: number,
  shareOver: number,
): Expectation | null {
  if (past.length < MIN_DAYS) return null;
  const weekdayAt = (index: number): number => (((todaysWeekday + index - past.length) % WEEK) + WEEK) % WEEK;
  let weekdays = Array.from({ length: WEEK }, () => 1);
  let line = fitLine(past);
  // The line is found without the days of the week, and these without the line: in turns.
  for (let turn = 0; past.length >= WEEK && turn < 5; turn += 1) {
    weekdays = weighWeekdays(past, line, weekdayAt);
    line = fitLine(
      past.map((usd, index) => usd / (weekdays[weekdayAt(index)] as number)),
      past.length > 2 * WEEK ? WEEK - 1 : 0,
    );
  }
  const factorAt = (index: number): number => weekdays[weekdayAt(index)] as number;
  const at = (index: number): number => Math.max(0, line.mean + line.slope * (index - line.middle)) * factorAt(index);
  const usd = Array.from({ length: count }, (_, ahead) => at(past.length + ahead) * (ahead === 0 ? 1 - shareOver : 1));
  // The noise of each day, and what is uncertain of the level and the trend, which all days have in common.
  const days = Math.max(0, count - shareOver);
  const distance = past.length + count / 2 - line.middle;
  // Noise is a share of what a day costs.
  const growth = line.mean === 0 ? 1 : Math.max(1, 1 + (line.slope * distance) / line.mean);
  const noise = line.variance * growth ** 2 * (days + days ** 2 * (1 / past.length + distance ** 2 / line.spread));
  const variance = noise + (days * distance * (line.steep - line.slope)) ** 2;
  return { usd, deviation: Math.sqrt(variance) };
}

interface Line {
  readonly mean: number;
  readonly slope: number;
  /** The slope as it is found, which may be noise. */
  readonly steep: number;
  readonly middle: number;
  /** Variance of the days about the line. */
  readonly variance: number;
  /** Sum of the squared distances of the days from the middle. */
  readonly spread: number;
}

/** The straight line through the days, flatter where its slope may be noise; so many parts were found beside it. */
function fitLine(days: readonly number[], otherParts = 0): Line {
  const middle = (days.length - 1) / 2;
  const mean = days.reduce((sum, usd) => sum + usd, 0) / days.length;
  const spread = days.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  const steep = days.reduce((sum, usd, index) => sum + (index - middle) * (usd - mean), 0) / spread;
  const rest = days.reduce((sum, usd, index) => sum + (usd - mean - steep * (index - middle)) ** 2, 0);
  const variance = rest / Math.max(1, days.length - 2 - otherParts);
  const slope = steep === 0 ? 0 : steep * Math.max(0, 1 - variance / spread / steep ** 2);
  return { mean, slope, steep, middle, variance, spread };
}

/** How each day of the week differs from the line; one that is known from few weeks differs less. */
function weighWeekdays(past: readonly number[], line: Line, weekdayAt: (index: number) => number): number[] {
  const sums = Array.from({ length: WEEK }, () => ({ days: 0, line: 0 }));
  for (const [index, usd] of past.entries()) {
    const sum = sums[weekdayAt(index)] as (typeof sums)[number];
    sum.days += usd;
    sum.line += Math.max(0, line.mean + line.slope * (index - line.middle));
  }
  const pull = line.mean * 0.2;
  const raw = sums.map(({ days, line: expected }) => (expected + pull === 0 ? 1 : (days + pull) / (expected + pull)));
  const mean = raw.reduce((sum, factor) => sum + factor, 0) / WEEK;
  return raw.map((factor) => Math.max(0.01, mean === 0 ? 1 : factor / mean));
}

export function daysBetween(from: string, until: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(until); at += DAY_MS) days.push(toDay(at));
  return days;
}

export const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Sums of binary fractions are not exact; nobody pays less than a billionth. */
const round = (usd: number): number => Math.round(usd * NANO_PER_USD) / NANO_PER_USD;
