import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { fillFigures } from '../support/stores/fill-figures.ts';

let ui: Ui;

const LAST_CHART = 8;

const chartOf = (page: Page, title: string): Locator =>
  page.getByRole('region', { name: title, exact: true }).getByRole('application');

const untilDrawn = (page: Page): Promise<void> => page.locator('.uplot').nth(LAST_CHART).waitFor();

/** Where a chart is once nothing that is drawn later moves it any more. */
async function boxAtRest(chart: Locator): Promise<NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>> {
  let before = await chart.boundingBox();
  for (;;) {
    for (let frame = 0; frame < 5; frame += 1) await chart.page().evaluate('new Promise(requestAnimationFrame)');
    const box = await chart.boundingBox();
    if (box === null) throw new Error('The chart is not shown');
    if (JSON.stringify(box) === JSON.stringify(before)) return box;
    before = box;
  }
}

/** The filters in the address of the list. */
async function filtersOf(page: Page): Promise<Record<string, string>> {
  await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
  return Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
}

describe.skipIf(skipped !== undefined)(
  `The overview${skipped === undefined ? '' : ` (not here: ${skipped})`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi({ prepareData: (dir) => fillFigures(dir, Date.now()) });
    });
    afterAll(() => ui?.close());

    test('counts the same failures in the figures, in the chart and in what needs attention', async () => {
      const { page, problems } = await ui.open('#/?range=7d');
      await untilDrawn(page);
      const failed = page.locator('dl > div').filter({ hasText: 'Failed' }).locator('dd').last();
      const count = /\d+/.exec(await failed.innerText())?.[0];
      await page.getByRole('region', { name: 'Requests', exact: true }).getByText(`failed ${count}`).waitFor();
      const concern = page.getByRole('listitem').filter({ hasText: `${count} requests failed · Last 7 days` });
      await concern.getByRole('link', { name: 'View' }).click();
      expect(await filtersOf(page)).toMatchObject({ status: 'failed' });
      await page.getByRole('status').getByText(`${count} found`).waitFor();
      expect(problems).toEqual([]);
    });

    test('has a table of the split that is sorted by any of its figures', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const table = page.getByRole('table', { name: 'Figures by model' });
      const readRequests = async (): Promise<number[]> => {
        const cells = table.locator('tbody tr').locator('td:nth-of-type(2)');
        return (await cells.allInnerTexts()).map(Number);
      };
      await table.getByRole('button', { name: 'Requests' }).click();
      expect(await table.getByRole('columnheader', { name: 'Requests' }).getAttribute('aria-sort')).toBe('descending');
      const falling = (await readRequests()).slice(0, -1);
      expect(falling).toEqual(falling.toSorted((a, b) => b - a));
      await table.getByRole('button', { name: 'Requests' }).click();
      const rising = (await readRequests()).slice(0, -1);
      expect(rising).toEqual(falling.toSorted((a, b) => a - b));
      // Near the top, beside the first chart.
      const box = await table.boundingBox();
      expect(box?.y).toBeLessThan(600);
      expect(problems).toEqual([]);
    });

    test.each([480, 1440, 2560])('comes without moving what is there, %i pixels wide', async (width) => {
      const watch = `window.shift = 0; new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });`;
      const { page } = await ui.open('#/', { viewport: { width, height: 900 }, initScript: watch });
      await untilDrawn(page);
      await page.getByText('Month to date').waitFor();
      await boxAtRest(chartOf(page, 'Cost'));
      expect(await page.evaluate<number>('window.shift')).toBeLessThan(0.02);
    });

    test('keeps figures with the time they are of when the gateway is gone, which needs attention', async () => {
      const own = await launchUi({ prepareData: (dir) => fillFigures(dir, Date.now()) });
      onTestFinished(() => own.close(), 60_000);
      const { page } = await own.open('#/');
      await untilDrawn(page);
      expect(await page.getByText(/^As of /).count()).toBe(0);
      own.kill();
      await page.getByText('The gateway can’t be reached.').waitFor();
      await page.getByText(/^As of \d\d:\d\d/).waitFor();
      await chartOf(page, 'Cost').waitFor();
    });

    test('stands below first steps that remember what was done, until these are dismissed', async () => {
      const { page, go, problems } = await ui.open('#/');
      const steps = page.getByRole('region', { name: 'Get started' });
      await steps.getByText('2 of 4 done').waitFor();
      await steps.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('heading', { name: 'Which tool do you want to connect?' }).waitFor();
      await go('#/');
      await steps.getByText('2 of 4 done').waitFor();
      await steps.getByRole('button', { name: 'Dismiss' }).click();
      await steps.waitFor({ state: 'detached' });
      await go('#/');
      await untilDrawn(page);
      expect(await steps.count()).toBe(0);
      await page.getByRole('button', { name: 'Show first steps' }).click();
      await page.getByRole('heading', { name: 'Welcome' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('names keys of all workspaces whose limit is used up', async () => {
      const made = await ui.call('/api/v1/workspaces', { body: { name: 'Night shift', slug: 'night-shift' } });
      const { data } = (await made.json()) as { data: { id: string } };
      await ui.call('/api/v1/keys', { body: { name: 'Nightly', workspace_id: data.id, limit: 0 } });
      const { page, problems } = await ui.open('#/');
      await page.getByText('The key “Nightly” has used up its limit.').waitFor();
      expect(problems).toEqual([]);
    });
  },
);
