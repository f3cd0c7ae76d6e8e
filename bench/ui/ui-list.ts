import type { Plan } from '../plan.ts';
import {
  UI_FRAME_MAX_MS,
  UI_FRAME_P95_MS,
  UI_FRAMES_A_SECOND,
  UI_HEAP_MB,
  UI_LIST_REQUESTS,
  UI_ROW_BYTES,
} from '../report/budgets.ts';
import {
  type Figure,
  formatCount,
  formatMegabytes,
  formatMilliseconds,
  formatPerSecond,
  toFigure,
} from '../report/figure.ts';
import { percentile } from '../report/statistics.ts';
import { type MeasuredPage, readHeap, readMainThread } from './ui-browser.ts';
import { toLoadRows, toScroll } from './ui-probes.ts';
import type { UiStage } from './ui-stage.ts';

const STEP_PX = 900;
/** A list loads its pages in order: rows that somebody may well scroll past. */
const MOST_ROWS = 100_000;
const LIST_PATH = '/admin/v1/generations';

/** Measures scrolling through a long list, at first while its pages come in and then with all of them in memory. */
export async function measureList(ui: UiStage, plan: Plan): Promise<Figure[]> {
  const measured = await ui.open();
  const { page, cdp, close } = measured;
  const asked: string[] = [];
  const rowBytes: Promise<number>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/ui/')) return;
    asked.push(pathname);
    if (pathname === LIST_PATH && rowBytes.length === 0) rowBytes.push(response.text().then(toRowBytes));
  });
  try {
    await page.goto(`${ui.url}/ui/#/generations`);
    await page.getByRole('grid').getByRole('row').nth(5).waitFor();
    await page.waitForTimeout(SETTLE_MS);
    const requests = asked.filter((path) => path === LIST_PATH || path.startsWith('/api/v1/generation')).length;
    const calls = ui.generations.toLocaleString('en');
    const loadedRows = Math.min(ui.generations, MOST_ROWS);
    const rows = loadedRows.toLocaleString('en');
    const whileLoading = await scroll(measured, plan, `UI, the list of ${calls} calls while its pages come in`);
    const startedAt = performance.now();
    await page.evaluate(toLoadRows(loadedRows));
    plan.progress(`${rows} rows loaded in ${formatMilliseconds(performance.now() - startedAt)}`);
    await page.evaluate("document.querySelector('[role=grid]').scrollTop = 0");
    await page.waitForTimeout(SETTLE_MS);
    const loaded = await scroll(measured, plan, `UI, the list of ${calls} calls with ${rows} rows loaded`);
    return [
      toFigure(`UI, the list of ${calls} calls: requests for its first page`, {
        gateway: '',
        value: requests,
        format: formatCount,
        budget: UI_LIST_REQUESTS,
      }),
      toFigure(`UI, the list of ${calls} calls: bytes a row of a response`, {
        gateway: '',
        value: (await rowBytes[0]) ?? Number.NaN,
        format: formatCount,
        budget: UI_ROW_BYTES,
      }),
      ...whileLoading,
      ...loaded,
      toFigure(`UI, the list of ${calls} calls with ${rows} rows loaded: JavaScript heap`, {
        gateway: '',
        value: (await readHeap(cdp)) / 1_000_000,
        format: formatMegabytes,
        budget: UI_HEAP_MB,
      }),
    ];
  } finally {
    await close();
  }
}

const SETTLE_MS = 1000;

async function scroll({ page, cdp }: MeasuredPage, plan: Plan, subject: string): Promise<Figure[]> {
  const before = await readMainThread(cdp);
  const gaps = await page.evaluate<number[]>(toScroll(plan.ui.scrollMs, STEP_PX));
  const after = await readMainThread(cdp);
  const toOne = (what: string, value: number, budget?: typeof UI_FRAME_P95_MS): Figure =>
    toFigure(`${subject}: ${what}`, { gateway: '', value, format: formatMilliseconds, budget });
  const perSecond = (gaps.length / gaps.reduce((sum, gap) => sum + gap, 0)) * 1000;
  return [
    toFigure(`${subject}: frames`, {
      gateway: '',
      value: perSecond,
      format: formatPerSecond,
      budget: UI_FRAMES_A_SECOND,
    }),
    toOne('between frames, p95', percentile(gaps, 95), UI_FRAME_P95_MS),
    toOne('between frames, at most', Math.max(...gaps), UI_FRAME_MAX_MS),
    toOne('main thread a frame', (after.taskMs - before.taskMs) / gaps.length),
  ];
}

function toRowBytes(text: string): number {
  const { data } = JSON.parse(text) as { data: readonly unknown[] };
  return Math.round(data.reduce<number>((sum, row) => sum + JSON.stringify(row).length, 0) / data.length);
}
