import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const line = (id: string, content: string, model = 'demo/chat'): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content }] },
  });

const toFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

describe.skipIf(skipped !== undefined)(
  `files and batches${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 90_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    const listFiles = async (): Promise<readonly { readonly filename: string; readonly expires_at: string | null }[]> =>
      ((await (await ui.call('/admin/v1/files')).json()) as { data: [] }).data;

    test('files are uploaded, each with its outcome, opened, and deleted unless that is undone', async () => {
      const { page, check } = await ui.open('#/files');
      await page.getByText('No files yet').waitFor();
      await page.getByRole('button', { name: 'Upload files' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Upload files' });
      await dialog
        .locator('input[type=file]')
        .setInputFiles([
          toFile('notes.md', '# Notes\n\nAll is well.\n'),
          { name: 'odd.bin', mimeType: '', buffer: Buffer.from([0, 1, 2, 255, 254]) },
        ]);
      await dialog.getByLabel('Delete after').selectOption({ label: '7 days' });
      await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
      await dialog.getByText('uploaded', { exact: true }).waitFor();
      await dialog.getByRole('alert').getByText('must be a PDF').waitFor();
      expect(await check()).toEqual([]);
      await dialog.getByRole('button', { name: 'Remove odd.bin' }).click();
      await page.keyboard.press('Escape');
      const row = page.getByRole('row', { name: /notes\.md/ });
      await row.getByText('user_data').waitFor();
      await row.getByText('demo', { exact: true }).waitFor();
      const [stored] = await listFiles();
      expect(Date.parse(stored?.expires_at ?? '') - Date.now()).toBeGreaterThan(6 * 86_400_000);
      await row.click();
      const panel = page.getByRole('region', { name: 'File notes.md' });
      await panel.getByText('text/markdown').waitFor();
      expect(await check()).toEqual([]);
      await panel.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row.waitFor();
      expect(await listFiles()).toHaveLength(1);
      await row.getByRole('button', { name: 'Actions for notes.md' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await row.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Dismiss' }).first().click();
      await expect.poll(listFiles).toEqual([]);
    });

    test('files that are added while others are uploaded are uploaded after them, before the dialog closes', async () => {
      const { page } = await ui.open('#/files');
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/api/v1/files', async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Upload files' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Upload files' });
      await dialog.locator('input[type=file]').setInputFiles(toFile('early.md', '# Early'));
      await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
      await dialog.getByRole('progressbar').waitFor();
      await dialog.locator('input[type=file]').setInputFiles(toFile('late.md', '# Late'));
      await dialog.getByText('late.md').waitFor();
      release();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('2 files uploaded', { exact: true }).waitFor();
      expect((await listFiles()).map(({ filename }) => filename).sort()).toEqual(['early.md', 'late.md']);
    });

    test('the filter of batches is drawn once there are some, and not while they load', async () => {
      const { page } = await ui.open('#/');
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route(/\/admin\/v1\/batches\?/, async (route) => {
        await held;
        await route.continue();
      });
      await page.evaluate("location.assign('#/batches')");
      await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
      const filter = page.getByRole('combobox', { name: 'Status' });
      expect(await filter.count()).toBe(0);
      release();
      await page.getByText('No batches yet').waitFor();
      expect(await filter.count()).toBe(0);
    });

    test('a file with wrong lines is not sent, and each of them is named', async () => {
      const { page, check } = await ui.open('#/batches');
      await page.getByText('No batches yet').waitFor();
      await page.getByRole('button', { name: 'New batch' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New batch' });
      const lines = [line('a', 'Hello'), '{"custom_id":', line('a', 'Hello'), line('b', 'Hello', 'acme/none')];
      await dialog.locator('input[type=file]').setInputFiles(toFile('wrong.jsonl', lines.join('\n')));
      await dialog.getByText('2 problems.').waitFor();
      await dialog.getByText('The line is not valid JSON').waitFor();
      await dialog.getByText('custom_id “a” is already used on line 1').waitFor();
      await dialog.getByText('Unknown model: these lines will fail').waitFor();
      expect(await dialog.getByRole('button', { name: 'Create batch' }).isDisabled()).toBe(true);
      expect(await check()).toEqual([]);
    });

    test('a batch is created from a file, followed to its end, and each line leads to its generation', async () => {
      const { page, check, problems } = await ui.open('#/batches');
      await page.getByRole('button', { name: 'New batch' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New batch' });
      const lines = [line('first', 'Hello'), line('second', 'demo: context too long'), line('third', 'Hello')];
      await dialog.locator('input[type=file]').setInputFiles(toFile('three.jsonl', lines.join('\n')));
      await dialog.getByRole('button', { name: 'Create batch of 3 lines' }).click();
      const panel = page.getByRole('region', { name: /^Batch batch_/ });
      await panel.getByRole('progressbar', { name: 'Lines done' }).waitFor();
      const table = panel.getByRole('table', { name: 'Lines of the batch' });
      await table.waitFor();
      await panel.getByText('3 of 3, 1 failed').waitFor();
      // Those that failed come first.
      const rows = await table.getByRole('row').allInnerTexts();
      expect(rows.map((row) => row.split('\n')[0])).toEqual(['custom_id', 'second', 'first', 'third']);
      expect(rows[1]).toContain('400');
      expect(await check()).toEqual([]);
      const download = page.waitForEvent('download');
      await panel.getByRole('button', { name: 'Download: Results' }).click();
      expect((await download).suggestedFilename()).toMatch(/^batch_.*_output\.jsonl$/);
      await table.getByRole('link', { name: 'Open: first' }).click();
      await page.getByRole('tab', { name: 'Usage and cost' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('no other file can be chosen while a batch is created, which would run, too', async () => {
      const { page } = await ui.open('#/batches');
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/api/v1/files', async (route) => {
        await held;
        await route.abort();
      });
      await page.getByRole('button', { name: 'New batch' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New batch' });
      const another = dialog.getByRole('button', { name: 'Choose another file' });
      await dialog.locator('input[type=file]').setInputFiles(toFile('one.jsonl', line('one', 'Hello')));
      await dialog.getByRole('button', { name: 'Create batch of 1 line' }).click();
      await dialog.getByRole('progressbar').waitFor();
      expect(await another.isDisabled()).toBe(true);
      expect(await dialog.locator('input[type=file]').isDisabled()).toBe(true);
      release();
      await dialog.getByRole('alert').waitFor();
      expect(await another.isEnabled()).toBe(true);
    });

    test('a batch that could not be created is tried again without a second upload of its file', async () => {
      const { page } = await ui.open('#/batches');
      let uploads = 0;
      await page.route('**/api/v1/files', async (route) => {
        uploads += 1;
        await route.continue();
      });
      let tries = 0;
      await page.route('**/api/v1/batches', async (route) => {
        tries += 1;
        if (tries > 1) return route.continue();
        await route.fulfill({ status: 503, json: { error: { code: 503, message: 'Too much at once' } } });
      });
      await page.getByRole('button', { name: 'New batch' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New batch' });
      await dialog.locator('input[type=file]').setInputFiles(toFile('again.jsonl', line('one', 'Hello')));
      await dialog.getByRole('button', { name: 'Create batch of 1 line' }).click();
      await dialog.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('region', { name: /^Batch batch_/ }).waitFor();
      expect([uploads, tries]).toEqual([1, 2]);
    });

    test('batches beyond the first hundred are listed as one goes down, and found by their status', async () => {
      const { data } = (await (await ui.call('/admin/v1/batches?status=completed')).json()) as {
        data: [{ id: string; status: string }];
      };
      const all = Array.from({ length: 150 }, (_, at) => ({
        ...data[0],
        id: `batch_${at}`,
        status: at === 149 ? 'expired' : at === 0 ? 'in_progress' : 'completed',
      }));
      let asked = 0;
      const { page } = await ui.open('#/', { hasClock: true });
      await page.route(/\/admin\/v1\/batches\?/, async (route) => {
        const query = new URL(route.request().url()).searchParams;
        const status = query.get('status');
        const offset = Number(query.get('offset') ?? 0);
        const found = all.filter((batch) => status === null || batch.status === status);
        asked += 1;
        // One is new when the second page is asked for for the first time.
        if (offset > 0 && all.length === 150) all.unshift({ ...data[0], id: 'batch_new' });
        await route.fulfill({ json: { data: found.slice(offset, offset + 100), total_count: found.length } });
      });
      await page.evaluate("location.assign('#/batches')");
      const grid = page.getByRole('grid', { name: 'Batches' });
      // The next page comes while one is at the end of the first.
      const goDown = async (): Promise<number> => {
        await grid.press('End');
        return grid.getByRole('row', { name: /expired/ }).count();
      };
      await expect.poll(goDown).toBe(1);
      expect(await grid.getByRole('row', { name: /expired/ }).getAttribute('aria-rowindex')).toBe('151');
      // All pages are asked for again, so not every second, though a batch is under way.
      const before = asked;
      await page.clock.runFor(5000);
      expect(asked).toBe(before);
      await page.clock.runFor(6000);
      await expect.poll(() => asked).toBe(before + 2);
      await page.getByRole('combobox', { name: 'Status' }).selectOption('rejected');
      await page.getByText('No batches with this status').waitFor();
      await page.getByRole('combobox', { name: 'Status' }).selectOption('expired');
      await grid.getByRole('row', { name: /expired/ }).waitFor();
      expect(await grid.getAttribute('aria-rowcount')).toBe('2');
    });

    test('a running batch is cancelled after a question', async () => {
      const many = Array.from({ length: 1500 }, (_, at) => line(`line-${at}`, 'Tell me a joke')).join('\n');
      const { page } = await ui.open('#/batches');
      await page.getByRole('button', { name: 'New batch' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New batch' });
      await dialog.locator('input[type=file]').setInputFiles(toFile('many.jsonl', many));
      await dialog.getByRole('button', { name: /Create batch of 1,500 lines/ }).click();
      await page.getByRole('button', { name: 'Cancel batch' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click();
      const panel = page.getByRole('region', { name: /^Batch batch_/ });
      await panel.getByText('cancelled', { exact: true }).waitFor();
      await panel
        .getByText(/not sent/)
        .first()
        .waitFor();
    });

    test.each([480, 1440])('both pages fit %s pixels in German', async (width) => {
      const viewport = { width, height: 900 };
      const { page, go, check } = await ui.open('#/files', { locale: 'de-DE', viewport });
      await page.getByRole('row', { name: /three\.jsonl/ }).waitFor();
      // The frame is hidden where it is too wide, so that the page itself is never.
      const list = await page.getByRole('grid').boundingBox();
      expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(width);
      expect(await check()).toEqual([]);
      await go('#/batches');
      await page
        .getByRole('row', { name: /fertig/ })
        .first()
        .waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await check()).toEqual([]);
    });
  },
);
