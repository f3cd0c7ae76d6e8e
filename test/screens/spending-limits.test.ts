import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const MANAGEMENT_KEY = 'sk-gw-v1-limits-0123456789abcdef0123456789abcdef-management';

/** What the dearest models cost: the longest completion is 9.60 USD, and the playground's key may spend 1. */
const LARGE = {
  context_length: 200_000,
  max_completion_tokens: 128_000,
  pricing: { prompt: '0.000015', completion: '0.000075' },
};

const toConfig = (upstreamUrl: string): object => ({
  auth: { bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }] },
  providers: [
    { slug: 'here', name: 'Here', wire: 'openai', baseUrl: `${upstreamUrl}/v1` },
    { slug: 'there', name: 'There', wire: 'openai', baseUrl: `${upstreamUrl}/v1` },
  ],
  models: ['acme/large', 'acme/larger', 'acme/largest'].map((id) => ({
    id,
    endpoints: [
      { provider: 'here', providerModel: id, ...LARGE },
      // A fallback that costs twice as much: the worst case is its.
      { provider: 'there', providerModel: id, ...LARGE, pricing: { prompt: '0.00003', completion: '0.00015' } },
    ],
  })),
});

/** Says what it was asked, and keeps the `max_tokens` of each request. */
const asked: unknown[] = [];
const upstream = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (data) => (body += String(data)));
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const {
      model,
      messages,
      max_tokens: most,
    } = JSON.parse(body) as {
      readonly model: string;
      readonly messages: readonly { readonly content: string }[];
      readonly max_tokens?: number;
    };
    asked.push(most);
    const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model };
    const delta = { role: 'assistant', content: `You said: ${messages.at(-1)?.content}` };
    const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const more of [
      { choices: [{ index: 0, delta, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ])
      response.write(`data: ${JSON.stringify({ ...chunk, ...more })}\n\n`);
    response.end('data: [DONE]\n\n');
  });
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

describe.skipIf(skipped !== undefined)(
  `keys that the UI makes with a limit${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    const launch = async (): Promise<Ui> => {
      const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
      const ui = await launchUi({ config: toConfig(url), managementKey: MANAGEMENT_KEY });
      onTestFinished(() => ui.close(), 60_000);
      return ui;
    };
    beforeAll(() => new Promise<void>((resolve) => void upstream.listen(0, '127.0.0.1', resolve)));
    afterAll(() => void upstream.close());

    test('the one of the playground gets completions of the dearest models, one after the other and side by side', async () => {
      const ui = await launch();
      const opened = await ui.open('#/playground?models=acme/large,acme/larger,acme/largest');
      const { page, problems } = opened;
      await button(page, 'Create a key named “Playground” with a limit of $1.00').click();
      const message = page.getByRole('textbox', { name: 'Message', exact: true });
      await message.fill('What costs so much?');
      await page
        .getByText(/at most 1,000 \(key limit\)/)
        .first()
        .waitFor();
      await opened.screenshot('playground-fitted');
      const said = (text: string) => page.getByRole('article', { name: 'Assistant' }).getByText(`You said: ${text}`);
      await message.press('Control+Enter');
      await expect.poll(() => said('What costs so much?').count()).toBe(3);
      await message.fill('And again?');
      await message.press('Control+Enter');
      await expect.poll(() => said('And again?').count()).toBe(3);
      expect(asked).toEqual(asked.map(() => 1000));
      expect(asked).toHaveLength(6);
      expect(await page.getByText('Key limit exceeded').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('the one of the first steps gets a completion, and the tool a limit that its model fits into', async () => {
      const ui = await launch();
      const opened = await ui.open('#/');
      const { page, problems } = opened;
      // There is a provider already, so the steps begin with the request.
      await button(page, /^Create a key named/).click();
      await button(page, 'Send “Hello!”').click();
      await page.getByText('It works').waitFor();
      await button(page, 'Next').click();
      await page.getByRole('button', { name: /^Claude Code/ }).click();
      await button(page, 'Create key with a limit of $50 a month').waitFor();
      await page.getByText(/A request reserves up to \$9\.60 while it runs/).waitFor();
      await opened.screenshot('tool-key-limit');
      await page.getByLabel('Monthly limit in USD').fill('5');
      await page.getByText(/^Too low for this model/).waitFor();
      expect(await opened.check()).toEqual([]);
      expect(problems).toEqual([]);
    });
  },
);
