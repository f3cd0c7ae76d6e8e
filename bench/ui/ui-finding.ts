import type { Page } from 'playwright-core';

import type { Plan } from '../plan.ts';
import { UI_FIND_MS, UI_SCAN_MS } from '../report/budgets.ts';
import type { Figure } from '../report/figure.ts';
import { type Change, timeChange, type Times, timesFor, toSlowest } from './time-change.ts';
import { KEEP_EVENTS, toAwait } from './ui-probes.ts';
import type { UiStage } from './ui-stage.ts';

/** Columns as they are headed; the list is in the order of time at first. */
const COLUMNS = ['Model', 'Status', 'Provider', 'Attempts', 'In', 'Out', 'Cost', 'First token', 'Time'];
/** Pickers, each with the place of the value that is taken: common ones and rare ones. */
const PICKED = [
  ['Status', 2],
  ['Model', 1],
  ['Model', 30],
  ['Provider', 3],
  ['Key', 12],
] as const;
/** Lines of the filter language: of what the list shows, of a few calls, and of what only the records have. */
const LINES = [
  'cost>0.005 latency>=2s',
  'attempts>1 -status:ok app:*app-1*',
  'session:session-77',
  'finish:stop agent:*7.*',
  'error:429,503',
];

const ROWS = "document.querySelector('[role=grid] [role=rowgroup]')";
const SHOWN_ROWS = `${ROWS}?.textContent`;
const CANVAS = "document.querySelector('main canvas')";
const COUNT = "document.querySelector('header h1 + p [role=status]')?.textContent";
/** Since the user's event. A count that would take too long ends early, and there are more than it says. */
const HAS_BEEN_COUNTED = `performance.getEntriesByType('resource').some(
  ({ name, responseEnd }) => name.includes('facets=true') && responseEnd > window.benchEventMs)`;
/** The rows, how many there are, and the chart above them. */
const FOUND = `
  ${ROWS} !== null &&
  (/^[\\d,]+ (found|in all)$/.test(${COUNT}) || (/^[\\d,]+[+] found$/.test(${COUNT}) && ${HAS_BEEN_COUNTED})) &&
  !document.querySelector('main').textContent.includes('Counting…') &&
  ${CANVAS} !== null
`;
const COUNTED = "/[(][\\d,]+[)]/.test(document.querySelector('[role=search] select').textContent)";

/** Measures how fast the list shows another order, and what a filter leaves. */
export async function measureFinding(ui: UiStage, plan: Plan): Promise<Figure[]> {
  const rows = ui.generations.toLocaleString('en');
  const [sorts, filters, scans]: [Times, Times, Times] = [new Map(), new Map(), new Map()];
  for (let i = 0; i < plan.ui.rounds; i += 1) {
    const { page, close } = await ui.open();
    try {
      await page.addInitScript(KEEP_EVENTS);
      await page.addInitScript('performance.setResourceTimingBufferSize(10_000)');
      await page.goto(`${ui.url}/ui/#/generations`);
      await page.evaluate(toAwait(FOUND));
      for (const change of toSorts(page)) await timeChange(page, change, sorts);
      await page.goto(`${ui.url}/ui/#/generations`);
      for (const change of toFilters(page)) {
        await page.evaluate(toAwait(FOUND));
        // The values of the pickers are counted once the filters are pointed at.
        await page.getByRole('search').hover();
        await page.evaluate(toAwait(COUNTED));
        await timeChange(page, change, timesFor(change, ui.hasSums, { all: filters, scans }));
        await page.getByRole('button', { name: 'Clear', exact: true }).click();
        await page.evaluate(toAwait("!location.hash.includes('?')"));
      }
    } finally {
      await close();
    }
  }
  const toOne = (what: string, times: Times, budget = UI_FIND_MS): Figure =>
    toSlowest(`UI, the list of ${rows} calls: ${what}`, { times, budget, plan });
  return [
    toOne('sorted', sorts),
    toOne('filtered', filters),
    ...(scans.size > 0 ? [toOne('filtered by what has no sums', scans, UI_SCAN_MS)] : []),
  ];
}

const toSorts = (page: Page): Change[] =>
  COLUMNS.map((column) => ({
    name: column,
    act: () => page.getByRole('columnheader').getByRole('button', { name: column, exact: true }).click(),
    condition: `${SHOWN_ROWS} !== before`,
    before: SHOWN_ROWS,
  }));

function toFilters(page: Page): Change[] {
  const condition = `location.hash.includes('?') && ${FOUND}`;
  return [
    ...PICKED.map(([label, index]) => ({
      name: `${label} ${index}`,
      act: () => page.getByRole('combobox', { name: label, exact: true }).selectOption({ index }),
      condition,
    })),
    ...LINES.map((line) => ({
      name: line,
      isScan: !line.startsWith('session:'),
      act: async () => {
        await page.locator('[role=search] input').fill(line);
        await page.keyboard.press('Enter');
      },
      condition,
    })),
    {
      name: 'Last 30 days',
      act: () => page.getByRole('button', { name: 'Last 30 days', exact: true }).click(),
      condition,
    },
  ];
}
