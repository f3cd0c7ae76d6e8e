import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';
import { examine } from './examine.ts';
import { launchUi, skipped, type Ui } from './launch-ui.ts';

const KEY = 'sk-upstream-key-that-nobody-may-see-4711';
const COMPLETION = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello from upstream' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 } },
];

/** The label of the field that has the focus. */
const FOCUSED =
  "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.labels?.[0]?.textContent ?? null";

/** A server of models that takes one key, and tells others that they are wrong. */
async function startUpstream(): Promise<string> {
  const { baseUrl } = await startRawUpstream(({ head, body, socket }) => {
    if (!head.toLowerCase().includes(`authorization: bearer ${KEY}`)) {
      socket.end(toRawResponse(401, { error: { message: 'Incorrect API key' } }));
    } else if (head.startsWith('GET')) {
      socket.end(toRawResponse(200, { data: [{ id: 'small-1' }, { id: 'large-1' }] }));
    } else if (body.includes('"stream":true')) {
      const events = COMPLETION.map((part) => `data: ${JSON.stringify({ id: 'c', model: 'small-1', ...part })}\n\n`);
      const head200 = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';
      socket.end(`${head200}${events.join('')}data: [DONE]\n\n`);
    } else {
      const message = { role: 'assistant', content: 'Hello from upstream' };
      const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
      socket.end(
        toRawResponse(200, {
          id: 'c',
          model: 'small-1',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage,
        }),
      );
    }
  });
  return baseUrl;
}

/** Clicks as a person would, and counts. */
function createHand(page: Page) {
  let clicks = 0;
  return {
    clicks: () => clicks,
    async click(role: 'button' | 'radio' | 'checkbox' | 'row', name: string | RegExp) {
      clicks += 1;
      await page.getByRole(role, { name }).click();
    },
    async type(label: string, text: string) {
      await expect.poll(() => page.evaluate(FOCUSED)).toBe(label);
      await page.keyboard.type(text);
    },
  };
}

describe.skipIf(skipped !== undefined)(
  `setting up in the UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi({ isEmpty: true });
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    test('leads from nothing to a tested call, tells a wrong key, and needs no restart', async () => {
      const baseUrl = await startUpstream();
      const opened = await ui.open('#/');
      const { page } = opened;
      const hand = createHand(page);
      const began = performance.now();

      await hand.click('button', 'Add a provider');
      await hand.type('Search providers', 'another');
      await page.keyboard.press('Enter');
      await hand.type('Address', baseUrl);
      await page.keyboard.press('Tab');
      await hand.type('Key', 'sk-wrong');
      await page.keyboard.press('Enter');
      const findings = page.getByRole('region', { name: 'What was found' });
      await findings.getByText('refused (HTTP 401)').waitFor();
      expect(await examine(opened, 'connect-wrong-key')).toEqual([]);
      await page.setViewportSize({ width: 1360, height: 850 });

      await page.getByLabel('Key', { exact: true }).focus();
      await page.keyboard.press('Control+A');
      await hand.type('Key', KEY);
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'Models' }).waitFor();
      expect(await examine(opened, 'connect-tested')).toEqual([]);
      await hand.click('button', 'Save');
      await page.getByText('is in force').first().waitFor();

      await hand.click('button', 'Next');
      await hand.click('button', /^Make a key named/);
      await hand.click('button', /^Send/);
      await page.getByText('Hello from upstream').waitFor();
      await page.getByText('It works').waitFor();
      const seconds = (performance.now() - began) / 1000;
      console.log(
        `from nothing to a tested call: ${hand.clicks()} clicks, ${seconds.toFixed(1)} s with two examinations`,
      );
      expect(hand.clicks()).toBeLessThanOrEqual(5);

      const { data } = (await (await ui.call('/admin/v1/setup/providers')).json()) as { data: readonly object[] };
      expect(data).toMatchObject([{ source: 'stored', status: 'ready', key_hint: '…4711', address: baseUrl }]);
      expect(await page.content()).not.toContain(KEY);
      expect(opened.problems).toEqual([]);
    });
  },
);
