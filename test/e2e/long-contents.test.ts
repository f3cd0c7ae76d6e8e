import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from './launch-ui.ts';

const LINE = 'and so it goes on, word by word, until the line is as long as lines are in a log';
const LINES = 75_000;

const KEY = 'sk-gw-v1-long-contents-0123456789abcdef';
const MANAGEMENT_KEY = 'sk-gw-v1-long-contents-management-0123456789';
/** No server listens there: the request is stored all the same. */
const CONFIG = {
  auth: {
    bootstrapKeys: [
      { key: KEY, kind: 'api', name: 'tests' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  },
  providers: [{ slug: 'local', wire: 'openai', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'none' }],
  models: [{ id: 'acme/long', context_length: 100_000_000, endpoints: [{ provider: 'local', providerModel: 'long' }] }],
};

let ui: Ui;
let id = '';

describe.skipIf(skipped !== undefined)(
  `long contents in the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi({ config: CONFIG, managementKey: MANAGEMENT_KEY });
      const content = Array.from({ length: LINES }, (_, at) => `${at} ${LINE}`).join('\n');
      const body = { model: 'acme/long', messages: [{ role: 'user', content }] };
      const response = await ui.call('/api/v1/chat/completions', { key: KEY, body });
      id = response.headers.get('x-generation-id') ?? '';
    }, 60_000);
    afterAll(() => ui?.close());

    test('are shown by lines, with their size, and can be saved as a file', async () => {
      const { page, problems, check, screenshot } = await ui.open(`#/generations/${id}`);
      await page.getByText(`${LINES.toLocaleString('en-US')} lines, raw text`).waitFor();
      await page.getByText(/^\d+\.\d\sMB$/).waitFor();
      expect(await page.getByText(LINE).count()).toBeLessThan(100);
      // Its height is known only when all of it has been counted.
      await expect
        .poll(async () => {
          await page.evaluate(`document.querySelector('[aria-label="Long text"]').scrollTo(0, 1e9)`);
          return page.getByText(`${LINES - 1} ${LINE}`).isVisible();
        })
        .toBe(true);
      await screenshot('generation-long');
      expect(await check()).toEqual([]);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as file' }).click();
      const file = await (await download).path();
      const saved = JSON.parse(readFileSync(file, 'utf8')) as { data: { input: { messages: { content: string }[] } } };
      expect(saved.data.input.messages[0]?.content.split('\n')).toHaveLength(LINES);
      expect(problems).toEqual([]);
    });

    test('that were deleted are told from those that could not be loaded', async () => {
      const { page } = await ui.open(`#/generations/${id}`);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Delete prompt and response…' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('Prompt and response are not stored').waitFor();
    });
  },
);
