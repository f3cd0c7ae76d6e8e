import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';

let ui: Ui;

async function chat(content: string, more: object = {}): Promise<string> {
  const body = { model: 'demo/chat', messages: [{ role: 'user', content }], ...more };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.text();
  return response.headers.get('x-generation-id') ?? '';
}

const ids = { short: '', long: '', middle: '' };

let fellBack: Promise<string> | undefined;

/** A call that needed two attempts: one, however often a test of it is tried. */
const makeFallback = (): Promise<string> => (fellBack ??= chat('demo: overloaded', { models: ['demo/reasoner'] }));

/** How many calls there are by now, which depends on the tests that ran before. */
async function countAll(): Promise<number> {
  const { data } = (await (await ui.call('/admin/v1/generations?limit=200')).json()) as { data: readonly object[] };
  return data.length;
}

/** The numbers of prompt tokens once the rows are in this order: until they have come, those before stay. */
async function untilSorted(page: UiPage['page'], sign: 1 | -1): Promise<readonly string[]> {
  let rows: readonly string[] = [];
  await expect
    .poll(async () => {
      rows = (await tokensIn(page)) as string[];
      const sorted = rows.toSorted((a, b) => sign * (Number(a) - Number(b)));
      return rows.length > 2 && rows.join() === sorted.join();
    })
    .toBe(true);
  return rows;
}

/** The ids of the rows from the top, by the number of their tokens. */
const tokensIn = (page: UiPage['page']): Promise<unknown> =>
  page.evaluate(`(() => {
    const grid = document.querySelector('[role=grid]');
    const heads = [...grid.querySelectorAll('[role=columnheader]')].map((head) => head.textContent.trim());
    const at = heads.indexOf('Tokens in');
    return [...grid.querySelectorAll('[role=row][id]')].map((row) => row.children[at]?.textContent);
  })()`);

describe.skipIf(skipped !== undefined)(
  `the sorted list of generations${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi();
      ids.short = await chat('Hi');
      ids.long = await chat('Tell me about flamingos. '.repeat(60));
      ids.middle = await chat('Tell me about pelicans. '.repeat(10));
    }, 60_000);
    afterAll(() => ui?.close());

    test('the most expensive call of today is two clicks away', async () => {
      const opened = await ui.open('#/generations');
      const { page, problems } = opened;
      await page
        .getByRole('status')
        .getByText(/^\d+ total$/)
        .waitFor();
      await page.getByRole('button', { name: 'Today' }).click();
      await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
      await expect.poll(() => page.url()).toMatch(/range=today.*sort=cost.*order=desc/);
      await expect
        .poll(() => page.getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort'))
        .toBe('descending');
      await untilSorted(page, -1);
      await setTheme(opened, 'dark');
      expect(await opened.check()).toEqual([]);
      await setTheme(opened, 'light');
      expect(await opened.check({ ofColours: true })).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('a head is reached and turned round by keys, and the address keeps it', async () => {
      const { page } = await ui.open('#/generations');
      await page
        .getByRole('status')
        .getByText(/^\d+ total$/)
        .waitFor();
      const head = page.getByRole('columnheader', { name: 'Tokens in' });
      await head.getByRole('button').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending');
      const descending = await untilSorted(page, -1);
      await page.keyboard.press('Space');
      await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
      await expect.poll(() => tokensIn(page)).toEqual(descending.toReversed());
      await page.reload();
      await expect.poll(() => tokensIn(page)).toEqual(descending.toReversed());
      await page.goBack();
    });

    test('a call that ends while the list is sorted is told of, and shown where it belongs', async () => {
      const { page } = await ui.open('#/generations?sort=tokens_in&order=desc');
      await page.getByRole('columnheader', { name: 'Tokens in' }).waitFor();
      await expect.poll(() => tokensIn(page).then((rows) => (rows as string[]).length)).toBeGreaterThan(2);
      const before = (await tokensIn(page)) as string[];
      await page.getByText('Live', { exact: true }).first().waitFor();
      await chat('Tell me about herons. '.repeat(30));
      await page.getByRole('button', { name: 'There may be more. Reload' }).click();
      await expect
        .poll(async () => {
          const rows = ((await tokensIn(page)) as string[]).map(Number);
          return rows.length === before.length + 1 && rows.every((row, at) => at === 0 || row <= (rows[at - 1] ?? 0));
        })
        .toBe(true);
    });

    test('a text search says that its list is not sorted, and its heads cannot be clicked', async () => {
      const { page } = await ui.open('#/generations?sort=cost&order=desc&text=flamingos');
      await page.getByText('so this list is not sorted').waitFor();
      expect(await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').count()).toBe(0);
    });

    test('shows the beginning of each prompt and marks fallbacks, and this browser keeps which columns are shown', async () => {
      await makeFallback();
      const opened = await ui.open('#/generations');
      const { page, problems } = opened;
      const row = page.getByRole('row', { name: /demo: overloaded/ });
      await row.getByText('2 attempts').waitFor();
      await page.getByRole('row', { name: /Tell me about pelicans\. Tell me/ }).waitFor();
      await page.getByRole('columnheader', { name: 'Tokens/s' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Tokens/s' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Duration' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'Tokens/s' }).waitFor();
      await page.reload();
      await page.getByRole('columnheader', { name: 'Tokens/s' }).waitFor();
      await page.getByRole('columnheader', { name: 'Duration' }).waitFor({ state: 'detached' });
      await page.getByRole('gridcell', { name: 'demo', exact: true }).first().waitFor();
      await setTheme(opened, 'dark');
      expect(await opened.check()).toEqual([]);
      await setTheme(opened, 'light');
      expect(await opened.check({ ofColours: true })).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('a line of the filter language is typed with suggestions of fields and of values', async () => {
      await makeFallback();
      const count = await countAll();
      const opened = await ui.open('#/generations');
      const { page, problems } = opened;
      const line = page.getByRole('combobox', { name: 'Filter generations' });
      const suggestions = page.getByRole('listbox', { name: 'Suggestions' });
      await page.getByRole('gridcell').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('att');
      await suggestions.getByRole('option', { name: /attempts/ }).waitFor();
      await setTheme(opened, 'dark');
      expect(await opened.check()).toEqual([]);
      await opened.screenshot('filter-suggestions-dark');
      await setTheme(opened, 'light');
      expect(await opened.check({ ofColours: true })).toEqual([]);
      await page.keyboard.press('Tab');
      await expect.poll(() => line.inputValue()).toBe('attempts>');
      await page.keyboard.type('1 -status:');
      await suggestions.getByRole('option', { name: 'ok', exact: true }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => line.inputValue()).toBe('attempts>1 -status:ok ');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.url()).toContain('where=');
      await page.getByRole('status').getByText('1 found').waitFor();
      await page.getByRole('row', { name: /demo: overloaded/ }).waitFor();
      await page.reload();
      await expect.poll(() => line.inputValue()).toBe('attempts>1 -status:ok');
      await page.getByRole('status').getByText('1 found').waitFor();

      await line.click();
      await page.keyboard.press('End');
      await page.keyboard.type(' cost>much');
      await page.keyboard.press('Enter');
      await page.getByText('“cost>much” (character 23): enter an amount in USD, e.g. 0.01').waitFor();
      await page.getByText('The list still shows the previous filter.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('status').getByText(`${count} total`).waitFor();
      await page.keyboard.type('key:de');
      await suggestions.getByRole('option', { name: 'demo', exact: true }).click();
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText(`${count} found`).waitFor();
      await expect.poll(() => line.inputValue()).toBe('key:demo');
      expect(problems).toEqual([]);
    });

    test.each([480, 900, 1440])('is looked at, %i pixels wide', async (width) => {
      const opened = await ui.open('#/generations?range=today&sort=cost&order=desc', {
        viewport: { width, height: 800 },
      });
      await opened.page.getByRole('columnheader', { name: 'Cost' }).waitFor();
      for (const theme of ['dark', 'light'] as const) {
        await setTheme(opened, theme);
        await opened.screenshot(`sorted-list-${width}-${theme}`);
      }
    });
  },
);
