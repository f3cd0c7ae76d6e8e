import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';
import { fillFigures } from '../support/stores/fill-figures.ts';

let ui: Ui;

const CHARTS = [
  'Cost',
  'Requests',
  'Error rate',
  'Duration',
  'Time to first token',
  'Tokens per second',
  'Retries',
  'Cache share',
  'Saved by cache',
];
const LAST = CHARTS.length - 1;

/** Half hours that the last 24 hours touch. */
const BUCKETS = 49;

const chartOf = (page: Page, title: string): Locator =>
  page.getByRole('region', { name: title, exact: true }).getByRole('application');

/** The tooltips of all charts, as text. */
async function readTooltips(page: Page): Promise<string[]> {
  await page.locator('[data-part=tooltip]').nth(LAST).waitFor();
  return page.locator('[data-part=tooltip]').allInnerTexts();
}

async function untilDrawn(page: Page): Promise<void> {
  await page.locator('.uplot').nth(LAST).waitFor();
}

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

/** A point of a chart: parts of its width and height. */
async function pointAt(chart: Locator, part: number): Promise<{ x: number; y: number }> {
  await chart.scrollIntoViewIfNeeded();
  const box = await boxAtRest(chart);
  return { x: box.x + box.width * part, y: box.y + box.height / 2 };
}

/** The filters in the address of the list. */
async function filtersOf(page: Page): Promise<Record<string, string>> {
  await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
  return Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
}

const hoursOf = ({ from = '', to = '' }: Record<string, string>): number =>
  (Date.parse(to) - Date.parse(from)) / 3_600_000;

describe.skipIf(skipped !== undefined)(
  `The charts of the overview${skipped === undefined ? '' : ` (not here: ${skipped})`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi({ prepareData: (dir) => fillFigures(dir, Date.now()) });
    });
    afterAll(() => ui?.close());

    test('show the same place together while the mouse moves over one of them', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const chart = chartOf(page, 'Cost');
      const { x, y } = await pointAt(chart, 0.5);
      await page.mouse.move(x, y);
      const texts = await readTooltips(page);
      expect(texts).toHaveLength(CHARTS.length);
      const times = texts.map((text) => text.split('\n')[0]);
      expect(new Set(times).size).toBe(1);
      expect(texts[0]).toMatch(/Total\s*\$0\.0/);
      expect(texts[3]).toContain('s');
      expect(texts[4]).toContain('ms');
      expect(texts[5]).toContain('tokens/s');
      expect(texts[0]).toContain('Click to list, Shift-drag to zoom');
      await page.mouse.move(x + 60, y, { steps: 4 });
      await expect.poll(async () => (await readTooltips(page))[0]?.split('\n')[0]).not.toBe(times[0]);
      await page.mouse.move(2, 2);
      await page.locator('[data-part=tooltip]').first().waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    });

    test.each(['UTC', 'America/Los_Angeles', 'Asia/Tokyo'])(
      'count the same calls as the list and the head, whatever the period, in %s',
      async (timezoneId) => {
        // All screens ask at the same moment, so that no call leaves the period meanwhile.
        const { page, go, screenshot, problems } = await ui.open('#/keys', { timezoneId, hasClock: true });
        await page.clock.setFixedTime(Date.now());
        const tile = (label: string): Promise<string> =>
          page
            .locator('dl > div')
            .filter({ has: page.getByText(label, { exact: true }) })
            .locator('dd')
            .last()
            .innerText();
        const spentToday = page.getByTitle(/^Spent /);
        for (const [range, title] of [
          ['today', 'Today'],
          ['24h', 'Last 24 hours'],
          ['7d', 'Last 7 days'],
        ] as const) {
          await go(`#/?range=${range}`);
          await page.getByRole('heading', { name: title }).waitFor();
          await untilDrawn(page);
          const count = (await tile('Requests')).trim();
          if (range === 'today') await expect.poll(() => spentToday.innerText()).toContain(await tile('Spend'));
          await go(`#/generations?range=${range}`);
          await page.getByRole('status').getByText(`${count} found`).waitFor();
          await page.getByText(`${count} requests`).first().waitFor();
        }
        await go('#/generations');
        await screenshot('generations-any-time');
        const all = /[\d,]+/.exec(
          await page
            .getByRole('status')
            .getByText(/ total$/)
            .innerText(),
        )?.[0];
        await page.getByText(`${all} requests`).first().waitFor();
        expect(await page.getByText('in the last 24 hours').count()).toBe(0);
        expect(problems).toEqual([]);
      },
    );

    test('fit into a narrower page at once, before they are drawn again', async () => {
      const { page } = await ui.open('#/', { viewport: { width: 960, height: 900 } });
      await untilDrawn(page);
      await chartOf(page, 'Cost').waitFor();
      // In one task: an observer of sizes runs only after it.
      const beyond = await page.evaluate<number>(`(() => {
        const main = document.querySelector('main');
        main.parentElement.style.maxWidth = '300px';
        return main.scrollWidth - main.clientWidth;
      })()`);
      expect(beyond).toBe(0);
    });

    test('lead from a bucket that is clicked to the calls of just that half hour', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const chart = chartOf(page, 'Requests');
      let count = 0;
      const readCount = async (): Promise<number> => {
        const { x, y } = await pointAt(chart, 0.51);
        await page.mouse.move(x, y);
        count = Number(/Total\s*(\d+)/.exec((await readTooltips(page))[1] ?? '')?.[1]);
        return count;
      };
      await expect.poll(readCount).toBeGreaterThan(0);
      const { x, y } = await pointAt(chart, 0.51);
      await page.mouse.click(x, y);
      expect(hoursOf(await filtersOf(page))).toBe(0.5);
      await page.getByRole('status').getByText(`${count} found`).waitFor();
      await expect.poll(() => page.getByRole('row').count()).toBe(count + 1);
      expect(problems).toEqual([]);
    });

    test('lead from what is dragged over to the calls of just that time', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const chart = chartOf(page, 'Tokens per second');
      const from = await pointAt(chart, (12 + 0.5) / BUCKETS);
      const to = await pointAt(chart, (19 + 0.5) / BUCKETS);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 5 });
      await expect.poll(() => page.locator('[data-part=band]').count()).toBe(CHARTS.length);
      await page.mouse.up();
      expect(hoursOf(await filtersOf(page))).toBe(4);
      expect(problems).toEqual([]);
    });

    test('look closer where Shift is held, and back', async () => {
      const { page, problems } = await ui.open('#/?split=provider');
      await untilDrawn(page);
      const chart = chartOf(page, 'Cost');
      const from = await pointAt(chart, (20 + 0.5) / BUCKETS);
      const to = await pointAt(chart, (23 + 0.5) / BUCKETS);
      await page.keyboard.down('Shift');
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 5 });
      await page.mouse.up();
      await page.keyboard.up('Shift');
      await page.getByRole('heading', { name: 'Selected span' }).waitFor();
      const search = Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
      expect([hoursOf(search), search['split']]).toEqual([2, 'provider']);
      expect(await page.getByRole('radiogroup', { name: 'Span' }).getByRole('radio', { checked: true }).count()).toBe(
        0,
      );
      await page.goBack();
      await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('are read and used with keys, and tell what they read', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const chart = chartOf(page, 'Cost');
      await chart.focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowLeft');
      const region = page.getByRole('region', { name: 'Cost', exact: true });
      const told = (): Promise<string> => region.locator('[aria-live]').innerText();
      await expect.poll(told).toMatch(/ to .*: \$0\.0\d+ total, .*\$/);
      expect(await page.locator('[data-part=tooltip]').count()).toBe(CHARTS.length);
      // The others show the place, and leave the telling to the one with the focus.
      expect(await page.getByRole('region', { name: 'Tokens per second' }).locator('[aria-live]').innerText()).toBe('');
      await page.keyboard.press('Shift+ArrowRight');
      await expect.poll(told).toMatch(/ selected$/);
      await page.keyboard.press('Escape');
      await page.locator('[data-part=tooltip]').first().waitFor({ state: 'detached' });
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Enter');
      // The first bucket begins before the span does, and is left out as far as that.
      const hours = hoursOf(await filtersOf(page));
      expect(hours).toBeGreaterThan(0.5);
      expect(hours).toBeLessThanOrEqual(1);
      expect(problems).toEqual([]);
    });

    test('keep the colour of a series in each chart and over every change of span', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const legend = page.getByRole('table', { name: 'Figures by model' });
      const colours = async (): Promise<Record<string, string>> => {
        const cells = await legend.locator('tbody th').allInnerTexts();
        const shown = await legend
          .locator('tbody [style]')
          .evaluateAll((swatches) => swatches.map((swatch) => swatch.getAttribute('style') ?? ''));
        return Object.fromEntries(cells.map((cell, at) => [cell, shown[at] ?? '']));
      };
      const before = await colours();
      expect(Object.keys(before)).toHaveLength(9);
      expect(new Set(Object.values(before)).size).toBe(9);
      await page.getByRole('radio', { name: '7 d' }).click();
      await page.getByRole('heading', { name: 'Last 7 days' }).waitFor();
      await page.locator('section[aria-busy=false]').waitFor();
      const { '2 others': _, ...after } = await colours();
      expect(before).toMatchObject(after);
      expect(page.url()).toContain('range=7d');
      expect(problems).toEqual([]);
    });

    test('lead from a row of the table to the calls of just that series', async () => {
      const { page, problems, go } = await ui.open('#/');
      await untilDrawn(page);
      const row = page.getByRole('table', { name: 'Figures by model' }).getByRole('row', { name: /acme\/chat/ });
      const count = (await row.getByRole('cell').nth(1).innerText()).trim();
      await row.getByRole('link', { name: 'acme/chat' }).click();
      expect(await filtersOf(page)).toMatchObject({ model: 'acme/chat' });
      await page.getByRole('status').getByText(`${count} found`).waitFor();
      for (const [split, name] of [
        ['provider', 'no provider'],
        ['app', 'opencode'],
        ['member', 'no member'],
        ['session', 'no session'],
      ] as const) {
        await go(`#/?split=${split}`);
        const other = page.getByRole('table', { name: `Figures by ${split}` }).getByRole('row', { name });
        const requests = (await other.getByRole('cell').nth(1).innerText()).trim();
        await other.getByRole('link').click();
        await page.getByRole('status').getByText(`${requests} found`).waitFor();
      }
      expect(problems).toEqual([]);
    });

    test('lead from the others to the calls of all that are not named', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const table = page.getByRole('table', { name: 'Figures by model' });
      const others = table.getByRole('row', { name: /2 others/ });
      const count = (await others.getByRole('cell').nth(1).innerText()).trim();
      await others.getByRole('link').click();
      expect((await filtersOf(page))['where']).toMatch(/^-model:acme\/chat,|,acme\/chat/);
      await page.getByRole('status').getByText(`${count} found`).waitFor();
      await page
        .getByRole('row', { name: /rare\// })
        .first()
        .waitFor();
      expect(problems).toEqual([]);
    });

    test('are split by what is chosen, and put it into the address', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      await page.getByLabel('Split by').selectOption('Nothing');
      await page.getByRole('table', { name: /^Figures by/ }).waitFor({ state: 'detached' });
      expect(page.url()).toContain('split=none');
      await page
        .getByRole('region', { name: 'Time to first token' })
        .getByText(/^p95 \d/)
        .waitFor();
      await page
        .getByRole('region', { name: 'Requests', exact: true })
        .getByRole('link', { name: /^failed \d/ })
        .click();
      expect(await filtersOf(page)).toMatchObject({ status: 'failed' });
      expect(problems).toEqual([]);
    });

    test('show by how much each figure differs from the span before', async () => {
      const { page, problems } = await ui.open('#/');
      await untilDrawn(page);
      const figure = page.locator('dl > div').filter({ has: page.getByText('Requests', { exact: true }) });
      expect(await figure.innerText()).toMatch(/\+\d+\s%/);
      await page.getByText('vs previous 24 hours').waitFor();
      expect(problems).toEqual([]);
    });

    test('have tables that say the same, each row of which leads to its calls', async () => {
      const { page, problems, check } = await ui.open('#/');
      await untilDrawn(page);
      for (const title of CHARTS) await page.getByRole('button', { name: `Table of ${title}` }).click();
      const table = page.getByRole('region', { name: 'Cost, as a table' });
      expect(await table.getByRole('row').count()).toBeGreaterThan(40);
      expect(await check()).toEqual([]);
      // The first bucket is not whole.
      await table.getByRole('button').nth(1).click();
      expect(hoursOf(await filtersOf(page))).toBe(0.5);
      expect(problems).toEqual([]);
    });

    test('ask for nothing while the page is hidden, and again when it is shown', async () => {
      const { page, problems } = await ui.open('#/', { hasClock: true });
      await page.clock.runFor(3000);
      await untilDrawn(page);
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/histogram')) asked.push(request.url());
      });
      const setHidden = (state: string): Promise<unknown> =>
        page.evaluate(`
          Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
          Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
          dispatchEvent(new Event('visibilitychange'));
        `);
      await setHidden('hidden');
      await page.clock.runFor(120_000);
      expect(asked).toEqual([]);
      await setHidden('visible');
      await page.clock.runFor(31_000);
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      expect(problems).toEqual([]);
    });

    test('say kindly that there is nothing where there were no calls', async () => {
      const opened = await ui.open('#/?from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z');
      const { page, problems, check } = opened;
      await page.getByText('No requests in this span').waitFor();
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Show the last 30 days' }).click();
      await untilDrawn(page);
      expect(problems).toEqual([]);
    });

    test.each(firstOrAll(480, 900, 1440))('fit and are readable %i pixels wide, in both themes', async (width) => {
      const opened = await ui.open('#/', { viewport: { width, height: 900 }, reducedMotion: 'reduce' });
      const { page, problems, check, screenshot } = opened;
      for (const theme of ['dark', 'light'] as const) {
        await setTheme(opened, theme);
        await untilDrawn(page);
        const { x, y } = await pointAt(chartOf(page, 'Cost'), 0.6);
        await page.mouse.move(x, y);
        await page.locator('[data-part=tooltip]').nth(LAST).waitFor();
        await screenshot(`charts-${width}-${theme}`);
        const beyond = await page.evaluate<number>(
          "document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth",
        );
        expect(beyond).toBeLessThanOrEqual(0);
        expect(await check(theme === 'dark' ? undefined : { ofColours: true })).toEqual([]);
      }
      expect(problems).toEqual([]);
    });
  },
);
