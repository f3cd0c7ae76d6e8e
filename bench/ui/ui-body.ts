import type { Plan } from '../plan.ts';
import { UI_BODY_PAINT_MS, UI_LONG_TASK_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { LARGE } from './ui-generations.ts';
import { KEEP_LONG_TASKS, TAKE_LONG_TASKS, toOpenAndSee } from './ui-probes.ts';
import type { UiStage } from './ui-stage.ts';

const BODIES = [
  ['a prompt of 10 MB in one message', LARGE.oneText],
  ['a prompt of 10 MB in 2,500 messages', LARGE.manyMessages],
] as const;
/** Selector of the elements that show messages. */
const MESSAGE = 'article';
const COUNT_TABS = "document.querySelectorAll('[role=tab]').length";
const SETTLE_MS = 1000;

interface Opened {
  readonly paintMs: number;
  /** The longest task until the page was idle. */
  readonly openTaskMs: number;
  /** The longest task while all tabs were opened in turn. */
  readonly tabTaskMs: number;
}

/** Measures what opening a generation with very long contents does to the page. */
export async function measureBody(ui: UiStage, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, id] of BODIES) {
    const opened: Opened[] = [];
    for (let i = 0; i < plan.ui.rounds; i += 1) opened.push(await openOnce(ui, id));
    const toTexts = (field: keyof Opened): string => opened.map((each) => formatMilliseconds(each[field])).join(', ');
    plan.progress(`${name}: in sight after ${toTexts('paintMs')}; longest tasks ${toTexts('openTaskMs')}`);
    const longest = (field: keyof Opened): number => Math.max(...opened.map((each) => each[field]));
    const toOne = (what: string, value: number, budget: typeof UI_LONG_TASK_MS): Figure =>
      toFigure(`UI, ${name}: ${what}`, { gateway: '', value, format: formatMilliseconds, budget });
    figures.push(
      toOne('in sight after', median(opened.map(({ paintMs }) => paintMs)), UI_BODY_PAINT_MS),
      toOne('longest task on opening', longest('openTaskMs'), UI_LONG_TASK_MS),
      toOne('longest task through all tabs', longest('tabTaskMs'), UI_LONG_TASK_MS),
    );
  }
  return figures;
}

async function openOnce(ui: UiStage, id: string): Promise<Opened> {
  const { page, close } = await ui.open();
  // The browser reports no task below 50 ms.
  const longest = async (): Promise<number> => Math.max(0, ...(await page.evaluate<number[]>(TAKE_LONG_TASKS)));
  try {
    await page.addInitScript(KEEP_LONG_TASKS);
    await page.goto(`${ui.url}/ui/#/generations`);
    await page.getByRole('grid').getByRole('row').nth(5).waitFor();
    await page.waitForTimeout(SETTLE_MS);
    await longest();
    const paintMs = await page.evaluate<number>(toOpenAndSee(`#/generations/${id}`, MESSAGE));
    await page.waitForTimeout(SETTLE_MS);
    const openTaskMs = await longest();
    // Opens all tabs with the key for the next one: finding a tab would be a long task of the driver.
    for (let left = await page.evaluate<number>(COUNT_TABS); left > 0; left -= 1) {
      await page.keyboard.press(']');
      await page.waitForTimeout(SETTLE_MS / 2);
    }
    return { paintMs, openTaskMs, tabTaskMs: await longest() };
  } finally {
    await close();
  }
}
