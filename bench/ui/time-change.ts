import type { Page } from 'playwright-core';

import type { Plan } from '../plan.ts';
import { type Budget, type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { READ_DRAWN, toTimeEvent } from './ui-probes.ts';

/** Something that a user does, and how to tell from the page that it has been done. */
export interface Change {
  readonly name: string;
  /** Needs what a store with sums has no sums of. */
  readonly isScan?: boolean;
  readonly act: () => Promise<unknown>;
  /** Met once the page shows what was asked for; `before` is the value of that expression before the act. */
  readonly condition: string;
  readonly before?: string;
}

/** Milliseconds of each change, one a round. */
export type Times = Map<string, number[]>;

/** Makes a change, and adds the time from the user's event until its result was painted. */
export async function timeChange(page: Page, { name, act, condition, before }: Change, times: Times): Promise<void> {
  await page.evaluate(toTimeEvent(condition, before));
  await act();
  const ms = await page.evaluate<number>(READ_DRAWN).catch((cause: unknown) => {
    throw new Error(`${name}: it was not drawn`, { cause });
  });
  times.set(name, [...(times.get(name) ?? []), ms]);
}

/** Where the times of a change belong: among those that such a store has to scan for, or among all others. */
export const timesFor = (change: Change, hasSums: boolean, { all, scans }: { all: Times; scans: Times }): Times =>
  hasSums && change.isScan === true ? scans : all;

/** The slowest of several changes, each by the median of its rounds. */
export function toSlowest(
  subject: string,
  { times, budget, plan }: { readonly times: Times; readonly budget: Budget; readonly plan: Plan },
): Figure {
  const medians = [...times].map(([name, each]) => [name, median(each)] as const);
  plan.progress(`${subject}: ${medians.map(([name, ms]) => `${name} ${formatMilliseconds(ms)}`).join(', ')}`);
  const value = Math.max(...medians.map(([, ms]) => ms));
  return toFigure(`${subject}, the slowest of ${medians.length}`, {
    gateway: '',
    value,
    format: formatMilliseconds,
    budget,
  });
}
