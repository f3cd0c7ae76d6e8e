import type { Page } from 'playwright-core';

import type { Plan } from '../plan.ts';
import { UI_STREAM_BUSY, UI_STREAM_FRAME_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, formatPercent, toFigure } from '../report/figure.ts';
import { percentile } from '../report/statistics.ts';
import { SWIFT } from '../targets/upstream-script.ts';
import { type MeasuredPage, readMainThread } from './ui-browser.ts';
import { toWatch } from './ui-probes.ts';
import type { UiStage } from './ui-stage.ts';

const WINDOWS = 2;
/** Columns of a window of the playground: as many as stand in one row. */
export const COLUMNS = 4;

/**
 * Measures what streams in view cost: two windows of the playground with four columns each, all of them in sight.
 * The times of their main threads are added up.
 */
export async function measureStreams(ui: UiStage, plan: Plan): Promise<Figure[]> {
  const windows = await Promise.all(Array.from({ length: WINDOWS }, () => ui.open()));
  try {
    await Promise.all(windows.map((each) => startStreams(ui.url, each.page)));
    const watched = await Promise.all(windows.map((each) => watch(each, plan.ui.streamMs)));
    const busy = watched.reduce((sum, each) => sum + each.busy, 0);
    const perSecond = watched.reduce((sum, each) => sum + each.tokensPerSecond, 0) / (WINDOWS * COLUMNS);
    plan.progress(`${WINDOWS * COLUMNS} streams of ${perSecond.toFixed(0)} tokens a second`);
    const subject = `UI, ${WINDOWS * COLUMNS} streams in view, ${perSecond.toFixed(0)} tokens a second each`;
    return [
      toFigure(`${subject}: main thread, both windows`, {
        gateway: '',
        value: busy,
        format: formatPercent,
        budget: UI_STREAM_BUSY,
      }),
      toFigure(`${subject}: between frames, p95`, {
        gateway: '',
        value: percentile(
          watched.flatMap(({ gaps }) => gaps),
          95,
        ),
        format: formatMilliseconds,
        budget: UI_STREAM_FRAME_MS,
      }),
    ];
  } finally {
    await Promise.all(windows.map(({ close }) => close()));
  }
}

/** Sends one message to the models of a window of the playground, and waits until all of them respond. */
export async function startStreams(url: string, page: Page): Promise<void> {
  const models = Array.from({ length: COLUMNS }, () => `bench/${SWIFT.name}`).join(',');
  await page.goto(`${url}/ui/#/playground?models=${models}`);
  await page.getByLabel('Message', { exact: true }).fill('Tell a long story');
  await page.keyboard.press('Control+Enter');
  await page
    .getByText('streaming')
    .nth(COLUMNS - 1)
    .waitFor();
}

interface Watched {
  /** Share of the time during which the main thread worked. */
  readonly busy: number;
  readonly gaps: readonly number[];
  readonly tokensPerSecond: number;
}

async function watch({ page, cdp }: MeasuredPage, durationMs: number): Promise<Watched> {
  const countTokens = (): Promise<number> => page.evaluate<number>("document.body.textContent.split('tok').length");
  const tokensBefore = await countTokens();
  const before = await readMainThread(cdp);
  const startedAt = performance.now();
  const gaps = await page.evaluate<number[]>(toWatch(durationMs));
  const elapsedMs = performance.now() - startedAt;
  const after = await readMainThread(cdp);
  const tokens = (await countTokens()) - tokensBefore;
  return { busy: (after.taskMs - before.taskMs) / elapsedMs, gaps, tokensPerSecond: (tokens / elapsedMs) * 1000 };
}
