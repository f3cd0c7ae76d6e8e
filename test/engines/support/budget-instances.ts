import { createWebPlatform, type Platform } from '@model-gateway/core';
import { onTestFinished } from 'vitest';

import { type BudgetInstance, type BudgetInstanceOptions, openBudgetInstance, SLOW_RECALL } from './budget-instance.ts';
import { openDatabase } from './engines.ts';

/** Opens an instance that closes when the test has ended. */
export async function openClosingInstance(options: BudgetInstanceOptions): Promise<BudgetInstance> {
  const instance = await openBudgetInstance(options);
  onTestFinished(() => instance.close());
  return instance;
}

export interface TwoBudgetInstances {
  readonly url: string;
  readonly one: BudgetInstance;
  readonly other: BudgetInstance;
}

/** Two instances at one database without data. Each has time to call back what the other does not need, on any machine. */
export async function openTwoInstances(options: Partial<BudgetInstanceOptions> = {}): Promise<TwoBudgetInstances> {
  const url = await openDatabase();
  const open = (): Promise<BudgetInstance> => openClosingInstance({ ...SLOW_RECALL, ...options, url });
  return { url, one: await open(), other: await open() };
}

/** A platform whose monotonic time a test may let pass. */
export function createSkewedPlatform(): { readonly platform: Platform; skip(ms: number): void } {
  const web = createWebPlatform();
  let skewMs = 0;
  return {
    platform: { ...web, monotonicNow: () => web.monotonicNow() + skewMs },
    skip: (ms) => (skewMs += ms),
  };
}
