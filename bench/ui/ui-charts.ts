import type { Page } from 'playwright-core';

import type { Plan } from '../plan.ts';
import { UI_CHART_CHANGE_MS, UI_CHARTS_MS, UI_SCAN_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Change, timeChange, type Times, timesFor, toSlowest } from './time-change.ts';
import { KEEP_EVENTS, READ_DRAWN, toNoteDrawn } from './ui-probes.ts';
import type { UiStage } from './ui-stage.ts';

const SECTION = "document.querySelector('[aria-labelledby=activity-title]')";
const CANVASES = `[...(${SECTION}?.querySelectorAll('canvas') ?? [])]`;
/** All four charts are there, with figures of what is asked for. */
const ALL_DRAWN = `${CANVASES}.length === 4 && ${SECTION}.getAttribute('aria-busy') === 'false'`;
/** Likewise, each drawn again: a chart gets another canvas with other figures. */
const ALL_DRAWN_ANEW = `${ALL_DRAWN} && !${CANVASES}.some((canvas) => before.includes(canvas))`;

const SPLITS = ['provider', 'key', 'member', 'app', 'session', 'none', 'model'] as const;
const SPANS = ['1\u00a0h', '24\u00a0h', '7\u00a0d', 'Today', '30\u00a0d'] as const;
const MEASURES = ['p95', 'p50'] as const;

/** Measures how fast the overview draws its charts: on a first visit, and after each change of what they show. */
export async function measureCharts(ui: UiStage, plan: Plan): Promise<Figure[]> {
  const rows = ui.generations.toLocaleString('en');
  const first: number[] = [];
  const [splits, scans, spans, measures] = Array.from({ length: 4 }, (): Times => new Map()) as [
    Times,
    Times,
    Times,
    Times,
  ];
  for (let i = 0; i < plan.ui.rounds; i += 1) {
    const { page, close } = await ui.open();
    try {
      await page.addInitScript(KEEP_EVENTS);
      await page.addInitScript(toNoteDrawn(ALL_DRAWN));
      await page.goto(`${ui.url}/ui/#/?range=30d`);
      first.push(await page.evaluate<number>(READ_DRAWN));
      for (const change of toSplits(page)) {
        await timeChange(page, change, timesFor(change, ui.hasSums, { all: splits, scans }));
      }
      for (const change of toSpans(page)) await timeChange(page, change, spans);
      for (const change of toMeasures(page)) await timeChange(page, change, measures);
    } finally {
      await close();
    }
  }
  plan.progress(`charts of 30 days: drawn after ${first.map(formatMilliseconds).join(', ')}`);
  const toOne = (what: string, times: Times, budget = UI_CHART_CHANGE_MS): Figure =>
    toSlowest(`UI, the charts of ${rows} calls: ${what}`, { times, budget, plan });
  return [
    toFigure(`UI, the charts of ${rows} calls: drawn on a first visit`, {
      gateway: '',
      value: median(first),
      format: formatMilliseconds,
      budget: UI_CHARTS_MS,
    }),
    toOne('another split', splits),
    ...(scans.size > 0 ? [toOne('another split, by what has no sums', scans, UI_SCAN_MS)] : []),
    toOne('another span', spans),
    toOne('another measure', measures),
  ];
}

const toSplits = (page: Page): Change[] =>
  SPLITS.map((split) => {
    const legend =
      split === 'none'
        ? `${SECTION}.querySelector('[aria-label^="Legend by"]') === null`
        : `${SECTION}.querySelector('[aria-label="Legend by ${split}"]') !== null`;
    return {
      name: split,
      isScan: split === 'session',
      act: () => page.getByLabel('Split by').selectOption(split),
      condition: `${legend} && ${ALL_DRAWN_ANEW}`,
      before: CANVASES,
    };
  });

const toSpans = (page: Page): Change[] =>
  SPANS.map((span) => ({
    name: span,
    act: () => page.getByRole('radio', { name: span, exact: true }).click(),
    condition: ALL_DRAWN_ANEW,
    before: CANVASES,
  }));

const toMeasures = (page: Page): Change[] =>
  MEASURES.map((measure) => ({
    name: measure,
    act: () => page.getByRole('radio', { name: measure, exact: true }).click(),
    // The other charts show the same as before.
    condition: `${ALL_DRAWN} && ${CANVASES}.some((canvas) => !before.includes(canvas))`,
    before: CANVASES,
  }));
