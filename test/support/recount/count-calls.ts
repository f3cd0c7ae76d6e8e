import type { RecountCall } from './random-calls.ts';

/*
 * What is to be on the screens, added up as plainly as can be and in whole nano-dollars. Nothing here uses a line of the
 * product: a mistake in both would have to be made twice.
 */

export const sum = <Item>(items: readonly Item[], read: (item: Item) => number | null): number =>
  items.reduce((total, item) => total + (read(item) ?? 0), 0);

export const costOf = (calls: readonly RecountCall[]): number => sum(calls, ({ nanoUsd }) => nanoUsd);

/** The smallest value that so many of a hundred do not exceed. */
export function percentile(values: readonly (number | null)[], percent: number): number | null {
  const known = values.filter((value) => value !== null).toSorted((one, other) => one - other);
  return known[Math.max(0, Math.ceil((known.length * percent) / 100) - 1)] ?? null;
}

export const firstTokenOf = ({ isStreamed, tokens, latencyMs }: RecountCall): number | null =>
  isStreamed && tokens !== null && tokens > 0 ? latencyMs : null;

export function speedOf(call: RecountCall): number | null {
  const ms = (call.durationMs ?? 0) - (firstTokenOf(call) ?? 0);
  return call.tokens === null || call.tokens < 2 || ms < 50 ? null : (call.tokens * 1000) / ms;
}

export interface Counted {
  readonly nanoUsd: number;
  readonly requests: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly durations: readonly (number | null)[];
  readonly firstTokens: readonly (number | null)[];
  readonly speeds: readonly (number | null)[];
  readonly retries: number;
  /** Of calls whose provider tells what came from its cache. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly savedNanoUsd: number;
}

export function count(calls: readonly RecountCall[]): Counted {
  const told = calls.filter(({ cachedTokens }) => cachedTokens !== null);
  const ends = (status: RecountCall['status']): number => calls.filter((call) => call.status === status).length;
  return {
    nanoUsd: costOf(calls),
    requests: calls.length,
    failed: ends('failed'),
    cancelled: ends('cancelled'),
    interrupted: ends('interrupted'),
    durations: calls.filter(({ status }) => status === 'ok').map(({ durationMs }) => durationMs),
    firstTokens: calls.map(firstTokenOf),
    speeds: calls.map(speedOf),
    retries: sum(calls, ({ attempts }) => Math.max(0, attempts.length - 1)),
    promptTokens: sum(told, ({ promptTokens }) => promptTokens),
    cachedTokens: sum(told, ({ cachedTokens }) => cachedTokens),
    savedNanoUsd: sum(told, ({ savedNanoUsd }) => savedNanoUsd),
  };
}

/** Calls, or others, by a property; those without it are under null. */
export function groupBy<Item, Value>(
  items: readonly Item[],
  read: (item: Item) => Value,
): ReadonlyMap<Value, readonly Item[]> {
  const groups = new Map<Value, Item[]>();
  for (const item of items) {
    const value = read(item);
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [item]);
    else group.push(item);
  }
  return groups;
}

/** The app of a call: its address, or else the name that its user agent begins with. */
export const appOf = ({ origin, agent }: RecountCall): string | null =>
  origin === '' ? (agent?.split(/[\s/(]/)[0] ?? null) : origin;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** The day of a moment in a zone: `2026-03-09`. */
export function dayIn(zone: string, ms: number): string {
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formatters.set(zone, formatter);
  }
  return formatter.format(ms);
}

/** The day before a day. */
export const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** The first moment of a day in a zone, found by looking: no more than 15 hours from that of UTC. */
export function startOfDay(zone: string, day: string): number {
  const quarter = 900_000;
  let ms = Date.parse(day) - 15 * 4 * quarter;
  while (dayIn(zone, ms) < day) ms += quarter;
  return ms;
}
