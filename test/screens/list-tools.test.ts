import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { readZip } from '../support/shared/read-zip.ts';

let ui: Ui;

async function chat(content: string, more: object = {}): Promise<number> {
  const body = { model: 'demo/chat', messages: [{ role: 'user', content }], ...more };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.text();
  return response.status;
}

const heads = (page: UiPage['page']): Promise<readonly string[]> =>
  page.getByRole('grid').getByRole('columnheader').allInnerTexts();

const head = (page: UiPage['page'], name: string) => page.getByRole('columnheader', { name, exact: true });

async function widthOf(page: UiPage['page'], name: string): Promise<number> {
  return Math.round((await head(page, name).boundingBox())?.width ?? 0);
}

async function drag(
  page: UiPage['page'],
  from: readonly [number, number],
  to: readonly [number, number],
): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, to[1], { steps: 4 });
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}

async function expectNoFindings(opened: UiPage): Promise<void> {
  await setTheme(opened, 'dark');
  expect(await opened.check()).toEqual([]);
  await setTheme(opened, 'light');
  expect(await opened.check({ ofColours: true })).toEqual([]);
}

describe.skipIf(skipped !== undefined)(
  `what can be done with the list of generations${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi();
      await chat('Hello!');
      await chat('Tell me about flamingos');
      await chat('Hello!', { model: 'demo/reasoner' });
      await chat('demo: rate limit');
    }, 60_000);
    afterAll(() => ui?.close());

    test('shows first what people look for, and a status only where it is not fine', async () => {
      const { page, problems } = await ui.open('#/generations');
      await page
        .getByRole('row', { name: /demo: rate limit/ })
        .getByText('failed')
        .waitFor();
      expect(await heads(page)).toEqual([
        'Ended',
        'Model',
        'Prompt',
        'Key',
        'App',
        'Tokens in',
        'Tokens out',
        'Duration',
        'Cost',
      ]);
      expect(
        await page
          .getByRole('row', { name: /flamingos/ })
          .getByText('ok', { exact: true })
          .count(),
      ).toBe(0);
      expect(problems).toEqual([]);
    });

    test('shows the time that it is sorted by, and says the order', async () => {
      const { page } = await ui.open('#/generations');
      const moments = async (): Promise<readonly number[]> =>
        (
          await page.evaluate<string[]>(
            "[...document.querySelectorAll('[role=row] time')].map((time) => time.dateTime)",
          )
        ).map((time) => Date.parse(time));
      await page.getByText('last ended first').waitFor();
      await expect.poll(async () => (await moments()).length).toBeGreaterThanOrEqual(4);
      const ended = await moments();
      expect(ended).toEqual(ended.toSorted((a, b) => b - a));
      await head(page, 'Ended').getByRole('button').click();
      await page.getByText('first started first').waitFor();
      await head(page, 'Started').waitFor();
      await expect
        .poll(async () => (await moments()).toSorted((a, b) => a - b).join() === (await moments()).join())
        .toBe(true);
      await head(page, 'Cost').getByRole('button').click();
      await page.getByText('highest cost first').waitFor();
    });

    test('columns are resized and moved by dragging, remembered, and go back to what they were', async () => {
      const opened = await ui.open('#/generations', { viewport: { width: 1600, height: 800 } });
      const { page, problems } = opened;
      await head(page, 'Model').waitFor();
      const usual = await widthOf(page, 'Model');
      const edgeOf = async (): Promise<readonly [number, number]> => {
        const box = await head(page, 'Model').locator('[data-edge]').boundingBox();
        return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
      };
      const [x, y] = await edgeOf();
      await drag(page, [x, y], [x + 60, y]);
      await expect.poll(() => widthOf(page, 'Model')).toBe(usual + 60);
      // Neither a drag nor a double click sorts.
      expect(page.url()).not.toContain('sort=');
      await page.reload();
      await expect.poll(() => widthOf(page, 'Model')).toBe(usual + 60);
      await page.mouse.dblclick(...(await edgeOf()));
      await expect.poll(() => widthOf(page, 'Model')).toBe(usual);

      const key = await head(page, 'Key').boundingBox();
      const model = await head(page, 'Model').boundingBox();
      await drag(page, [(key?.x ?? 0) + 20, y], [(model?.x ?? 0) + 10, y]);
      await expect.poll(async () => (await heads(page)).slice(0, 4)).toEqual(['Ended', 'Key', 'Model', 'Prompt']);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Key' }).focus();
      // Before the status, which is not shown, and then before the time.
      for (const place of [2, 1]) {
        await page.keyboard.press('Alt+ArrowUp');
        const items = page.getByRole('menuitemcheckbox');
        await expect
          .poll(async () => (await items.allInnerTexts()).findIndex((text) => text.includes('Key')) + 1)
          .toBe(place);
        await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Key');
      }
      await expect.poll(async () => (await heads(page))[0]).toBe('Key');
      const before = await widthOf(page, 'Key');
      await page.keyboard.press('Alt+ArrowRight');
      await expect.poll(() => widthOf(page, 'Key')).toBe(before + 16);
      await expectNoFindings(opened);
      await page.getByRole('menuitem', { name: 'Reset columns' }).click();
      await expect.poll(async () => (await heads(page)).slice(0, 4)).toEqual(['Ended', 'Model', 'Prompt', 'Key']);
      expect(problems).toEqual([]);
    });

    test.each(['en-US', 'de-DE'])(
      'has its tools beside the title, each with its words, at 1440 pixels: %s',
      async (locale) => {
        const { page } = await ui.open('#/generations', { locale, viewport: { width: 1440, height: 900 } });
        await page.getByRole('row').nth(1).waitFor();
        const tools = page.getByRole('button', {
          name: /^(Refused|Pinned|Views|Group|Columns|Actions|Abgelehnt|Angeheftet|Ansichten|Gruppieren|Spalten|Aktionen)/,
        });
        const words = await tools.allInnerTexts();
        expect(words).toHaveLength(6);
        expect(words.filter((text) => text.trim() === '')).toEqual([]);
        const title = await page.getByRole('heading', { level: 1 }).boundingBox();
        const last = await tools.last().boundingBox();
        expect(last?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0));
      },
    );

    test('has more columns on a wide screen', async () => {
      const { page } = await ui.open('#/generations', { viewport: { width: 2560, height: 800 } });
      await head(page, 'Provider').waitFor();
      await head(page, 'First token').waitFor();
      await head(page, 'Tokens/s').waitFor();
    });

    test('is paused and resumed, with what waits and the rate', async () => {
      const opened = await ui.open('#/generations');
      const { page, problems } = opened;
      await page.getByText('Live', { exact: true }).first().waitFor();
      const count = await page.getByRole('grid').getByRole('row').count();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await chat('While it is paused');
      await page.getByText('Paused, 1 new').waitFor();
      expect(await page.getByRole('grid').getByRole('row').count()).toBe(count);
      await expectNoFindings(opened);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('row', { name: /While it is paused/ }).waitFor();
      // The rate has room beside the tools in a wide window.
      await page.setViewportSize({ width: 1680, height: 900 });
      await page.getByText('1/min').waitFor();
      expect(problems).toEqual([]);
    });

    test('adds requests up by what they have in common, and lists those of a group', async () => {
      const opened = await ui.open('#/generations');
      const { page, problems } = opened;
      await page.getByRole('button', { name: 'Group' }).click();
      await page.getByRole('menuitem', { name: 'By model' }).click();
      const groups = page.getByRole('grid', { name: 'By model' });
      await groups.getByRole('row', { name: /demo\/reasoner/ }).waitFor();
      expect(await heads(page)).toEqual(['Model', 'Requests', 'Failed', 'First token (p50)', 'Tokens/s (p50)', 'Cost']);
      await expectNoFindings(opened);
      await page.reload();
      await groups.getByRole('row', { name: /demo\/reasoner/ }).click();
      await page.getByRole('status').getByText('1 found').waitFor();
      expect(new URL(page.url()).hash).toContain('model=demo');
      for (const [item, row] of [
        ['By key', /demo/],
        ['By day', /Mon|Tue|Wed|Thu|Fri|Sat|Sun/],
        ['By session', /No session/],
      ] as const) {
        await opened.go('#/generations');
        await page.getByRole('button', { name: 'Group' }).click();
        await page.getByRole('menuitem', { name: item }).click();
        await page.getByRole('grid', { name: item }).getByRole('row', { name: row }).first().click();
        await page
          .getByRole('status')
          .getByText(/^\d+ found$/)
          .waitFor();
        expect(await page.getByRole('row').count()).toBeGreaterThan(1);
      }
      expect(problems).toEqual([]);
    });

    test('lists requests that were refused before they became calls', async () => {
      expect(await chat('Hello!', { model: 'demo/nothing-of-the-kind' })).toBe(400);
      const opened = await ui.open('#/generations');
      const { page, problems } = opened;
      await page.getByRole('button', { name: 'Refused' }).click();
      const row = page.getByRole('grid', { name: 'Refused' }).getByRole('row', { name: /nothing-of-the-kind/ });
      await row.getByText('400').waitFor();
      await row.getByText('demo', { exact: true }).waitFor();
      await row.getByText('demo/nothing-of-the-kind', { exact: true }).waitFor();
      expect(await chat('Hello!', { model: 'demo/another' })).toBe(400);
      await page.getByRole('combobox', { name: 'Model' }).selectOption('demo/another');
      await row.waitFor({ state: 'detached' });
      await expectNoFindings(opened);
      // A link may name a model of which none is left.
      await opened.follow('#/generations?refused=1&model=demo/forgotten');
      await page.getByText('No refused requests for this model').waitFor();
      await page.getByRole('button', { name: 'All models' }).click();
      await row.waitFor();
      await page.getByRole('button', { name: 'Refused' }).click();
      await page.getByRole('grid', { name: 'Generations' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('shares views through the gateway, and moves up those that a browser had kept', async () => {
      const kept = { views: [{ name: 'Of old', search: { status: 'failed' }, hiddenColumns: [] }] };
      const { page, problems } = await ui.open('#/generations', {
        initScript: `if (location.protocol === 'http:' && localStorage.length === 0) localStorage.setItem('model-gateway.preferences', '${JSON.stringify(kept)}')`,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await expect
        .poll(async () => (await (await ui.call('/admin/v1/views')).json()) as object)
        .toMatchObject({ data: [{ name: 'Of old', hidden_columns: [] }] });
      await page.getByLabel('Status').selectOption('failed');
      await page.getByRole('status').getByText('1 found').waitFor();
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Copy link to this list' }).click();
      await page.getByText('Link copied').first().waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${ui.url}/ui/#/generations?status=failed`);

      const other = await ui.open('#/generations');
      await other.page.getByRole('button', { name: 'Views' }).click();
      await other.page.getByRole('menuitemradio', { name: 'Of old' }).click();
      await other.page.getByRole('status').getByText('1 found').waitFor();
      expect([...problems, ...other.problems]).toEqual([]);
    });

    test('downloads fixtures of what it lists, with a suite, and says why there are none', async () => {
      const { page, go, problems } = await ui.open('#/generations?text=flamingos');
      const choose = async (suite: string): Promise<void> => {
        await page.getByRole('button', { name: 'Actions', exact: true }).click();
        await page.getByRole('menuitem', { name: `Make fixtures with a ${suite} suite` }).click();
      };
      await page.getByRole('row', { name: /flamingos/ }).waitFor();
      const download = page.waitForEvent('download');
      await choose('Vitest');
      const files = readZip(readFileSync(await (await download).path()));
      await page.getByText(/^Downloaded .* of fixtures$/).waitFor();
      const requests = [...files].filter(([name]) => name.endsWith('/request.json'));
      expect(requests.map(([, text]) => JSON.parse(text) as unknown)).toEqual([
        { model: 'demo/chat', messages: [{ role: 'user', content: 'Tell me about flamingos' }] },
      ]);
      expect(files.get('fixtures.test.mjs')).toContain("from 'vitest'");
      await go('#/generations?model=demo/none');
      await choose('pytest');
      await page.getByText('Couldn’t make fixtures', { exact: true }).waitFor();
      await page.getByText('No call matches', { exact: true }).waitFor();
      expect(problems).toEqual([expect.stringContaining('404 (Not Found) /admin/v1/fixtures/export')]);
    });

    test('says what it has of the day before', async () => {
      const { page } = await ui.open('#/generations');
      await page.getByRole('button', { name: 'Yesterday' }).click();
      await page.getByText('No requests match these filters').waitFor();
      await page.getByRole('button', { name: /^Without the time: \d+ requests$/ }).click();
      await page.getByRole('row', { name: /flamingos/ }).waitFor();
    });

    test('speaks German where the browser does, but for the fields of the filter language', async () => {
      const opened = await ui.open('#/generations', { locale: 'de-DE' });
      const { page, problems } = opened;
      await page.getByRole('heading', { name: 'Generierungen' }).waitFor();
      await page.getByText('neueste zuerst').waitFor();
      await page
        .getByRole('row', { name: /rate limit/ })
        .getByText('fehlgeschlagen')
        .waitFor();
      await page.getByRole('combobox', { name: 'Generierungen filtern' }).fill('modle:x');
      await page.keyboard.press('Enter');
      await page.getByText('„modle:x“ (Zeichen 1): unbekanntes Feld „modle“').waitFor();
      await page.getByText('Die Liste zeigt noch den vorherigen Filter.').waitFor();
      await expectNoFindings(opened);
      expect(problems).toEqual([]);
    });
  },
);
