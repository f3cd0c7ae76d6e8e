import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { API_KEY, launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

/** What a screen does with much room, and with little: nothing is left empty, nothing that tells things apart is cut. */
describe.skipIf(skipped !== undefined)(
  `wide and narrow windows${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 90_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    test('a wide playground has its whole set-up beside the conversation', async () => {
      const { page, check } = await ui.open('#/playground', { viewport: { width: 2560, height: 1300 } });
      const setup = page.getByRole('region', { name: 'Settings for all columns' });
      await setup.getByRole('textbox', { name: 'System message' }).fill('Be brief.');
      await setup.getByRole('textbox', { name: 'Temperature' }).fill('0.5');
      await setup.getByRole('radio', { name: 'JSON object' }).waitFor();
      const left = await setup.boundingBox();
      const field = await page.getByRole('textbox', { name: 'Message', exact: true }).boundingBox();
      expect(field?.x ?? 0).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
      expect(await check()).toEqual([]);
      // A narrower window has a section at a time, and what was entered is still there.
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.getByRole('button', { name: /^System message/ }).click();
      expect(await page.getByRole('textbox', { name: 'System message' }).inputValue()).toBe('Be brief.');
    });

    test('a narrow playground has its tools in one row, and each by its name', async () => {
      const { page, check } = await ui.open('#/playground', { viewport: { width: 480, height: 900 } });
      const names = ['Prompts', 'Presets', 'Experiments', 'Model'];
      const boxes = await Promise.all(
        names.map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
      );
      expect(new Set(boxes.map((box) => Math.round(box?.y ?? 0))).size).toBe(1);
      expect(await check()).toEqual([]);
      await page.getByRole('combobox', { name: 'Kind of call' }).selectOption({ label: 'Embeddings' });
      await page.waitForURL(/kind=embeddings/);
    });

    test('files of results are called after the file of their requests', async () => {
      const body = new FormData();
      const request = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }] };
      const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: request };
      body.set('purpose', 'batch');
      body.set('file', new File([JSON.stringify(line)], 'nightly-titles-of-the-spring-catalogue.jsonl'));
      const headers = { authorization: `Bearer ${API_KEY}` };
      const sent = await fetch(`${ui.url}/api/v1/files`, { method: 'POST', headers, body });
      const { id } = (await sent.json()) as { id: string };
      await ui.call('/api/v1/batches', {
        key: API_KEY,
        body: { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
      });
      const { page, go } = await ui.open('#/files', { viewport: { width: 480, height: 900 } });
      await page.getByText('nightly-titles-of-the-spring-catalogue_output.jsonl').waitFor();
      // The name of a batch is told to its end.
      await go('#/batches');
      const name = page.getByText('nightly-titles-of-the-spring-catalogue.jsonl');
      await name.waitFor();
      expect(await name.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true);
    });
  },
);
