import process from 'node:process';

import type { BrowserContext, CDPSession, Page } from 'playwright-core';

import { BENCH_KEY, BENCH_MANAGEMENT_KEY } from '../load/bench-request.ts';

/** Flags that the browser is started with. Chromium cannot use its own sandbox when it runs as root. */
export const CHROMIUM_FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** A page of the UI, signed in, and a session of the browser's debugger. */
export interface MeasuredPage {
  readonly page: Page;
  readonly cdp: CDPSession;
  close(): Promise<void>;
}

/** Work of a page's main thread so far, in milliseconds of CPU time. */
export interface MainThread {
  readonly taskMs: number;
  readonly scriptMs: number;
  readonly layoutMs: number;
}

/** Opens a tab that is signed in; the caller navigates it to a screen. */
export async function openMeasuredPage(context: BrowserContext, url: string): Promise<MeasuredPage> {
  await context.request.post(`${url}/admin/v1/session`, { data: { key: BENCH_MANAGEMENT_KEY } });
  await context.addInitScript(`sessionStorage.setItem('model-gateway.playground-key', '${BENCH_KEY}')`);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return { page, cdp, close: () => context.close() };
}

/** Reads how much CPU time the main thread has had since the tab was opened. */
export async function readMainThread(cdp: CDPSession): Promise<MainThread> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const secondsOf = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    taskMs: secondsOf('TaskDuration') * 1000,
    scriptMs: secondsOf('ScriptDuration') * 1000,
    layoutMs: (secondsOf('LayoutDuration') + secondsOf('RecalcStyleDuration')) * 1000,
  };
}

/** Counts how often a tab has been laid out or had its styles computed. */
export async function readLayouts(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const names = ['LayoutCount', 'RecalcStyleCount'];
  return metrics.filter(({ name }) => names.includes(name)).reduce((sum, { value }) => sum + value, 0);
}

/** The page's JavaScript heap once its garbage is collected, in bytes. */
export async function readHeap(cdp: CDPSession): Promise<number> {
  // Objects that the first collection releases may hold others that only the second collection can free.
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.send('HeapProfiler.collectGarbage');
  return (await cdp.send('Runtime.getHeapUsage')).usedSize;
}
