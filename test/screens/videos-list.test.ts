import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { API_KEY, launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const PROMPT = 'A paper boat in the rain, seen from above';

interface Job {
  readonly id: string;
  readonly status: string;
  readonly generation_id: string;
}

describe.skipIf(skipped !== undefined)(
  `the list of videos${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
      await ui.call('/api/v1/videos', { key: API_KEY, body: { model: 'demo/video', prompt: PROMPT, duration: 4 } });
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    const readJob = async (): Promise<Job | undefined> =>
      ((await (await ui.call('/admin/v1/videos')).json()) as { data: readonly Job[] }).data[0];

    test('tells jobs apart by prompt and picture, while they run and afterwards', async () => {
      const { page, problems, check } = await ui.open('#/videos');
      const row = page.getByRole('row', { name: /paper boat/ });
      await row.getByText(PROMPT).waitFor();
      await row.getByText('demo/video · 4 s').waitFor();
      await row.getByText('completed').waitFor();
      await row.getByText(PROMPT).waitFor();
      // The browser has a picture of the film.
      await expect
        .poll(() => page.evaluate('document.querySelector("[role=row] video").videoWidth'))
        .toBeGreaterThan(0);
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('keeps the prompt and the cost in a narrow window', async () => {
      const { page } = await ui.open('#/videos', { viewport: { width: 480, height: 900 } });
      await page.getByRole('row', { name: /paper boat/ }).waitFor();
      expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Video', 'Status', 'Cost']);
    });

    test('shows a prompt no longer once the content of its generation was deleted', async () => {
      await expect.poll(async () => (await readJob())?.status, { timeout: 30_000 }).toBe('completed');
      const id = (await readJob())?.generation_id ?? '';
      const response = await fetch(`${ui.url}/admin/v1/generations/${id}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer sk-gw-v1-demo-management' },
      });
      expect(response.status).toBeLessThan(300);
      const { page } = await ui.open('#/videos');
      await page.getByText('Prompt not stored').waitFor();
      expect(await page.getByText(PROMPT).count()).toBe(0);
    });

    test('is written in the language of the browser', async () => {
      const { page } = await ui.open('#/videos', { locale: 'de-DE' });
      await page.getByRole('button', { name: 'Neues Video' }).first().waitFor();
      await page.getByRole('gridcell', { name: 'fertig' }).waitFor();
    });
  },
);
