import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';
import { toAgentCalls } from '../support/gateways/agent-sessions.ts';
import { createPromptCache, PRICING, toMessage } from '../support/gateways/caching-provider.ts';

const MANAGEMENT = 'sk-gw-v1-cache-management';
const KEY = 'sk-gw-v1-cache-api';

let ui: Ui;
let upstream: Server;

/** A provider that caches by marks, on loopback. */
async function startUpstream(): Promise<string> {
  const count = createPromptCache(Date.now);
  upstream = createServer((request, response) => {
    void text(request).then((body) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(toMessage(count(JSON.parse(body) as Record<string, unknown>)))),
    );
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  return `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
}

async function makeCalls(): Promise<void> {
  // A call of each kind of session, and some of those that continue them.
  for (const { app, session, body } of toAgentCalls(1).filter((_, at) => at % 3 === 0)) {
    const response = await fetch(`${ui.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'http-referer': app },
      body: JSON.stringify({ model: 'test/model', max_tokens: 64, session_id: session, ...body }),
    });
    expect(response.status).toBe(200);
  }
}

describe.skipIf(skipped !== undefined)(
  `Causes of missed caches${skipped === undefined ? '' : ` (not here: ${skipped})`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      const baseUrl = await startUpstream();
      ui = await launchUi({
        managementKey: MANAGEMENT,
        config: {
          auth: {
            bootstrapKeys: [
              { key: MANAGEMENT, kind: 'management', name: 'admin' },
              { key: KEY, kind: 'api', name: 'dev' },
            ],
          },
          providers: [{ slug: 'up', preset: 'anthropic', baseUrl, apiKey: 'planted' }],
          models: [
            {
              id: 'test/model',
              endpoints: [{ provider: 'up', providerModel: 'claude-sonnet-4-5', pricing: PRICING }],
            },
          ],
        },
      });
      await makeCalls();
    });
    afterAll(async () => {
      await ui?.close();
      upstream.close();
    });

    test('the overview shows on request what was missed by cause and by app, and what marks would have saved', async () => {
      const opened = await ui.open('#/');
      const { page, problems, check, screenshot } = opened;
      const section = page.getByRole('region', { name: 'Prompt cache', exact: true });
      expect(await section.getByRole('table').count()).toBe(0);
      await section.getByRole('button', { name: 'Find the causes' }).click();
      const causes = section.getByRole('table', { name: 'By cause' });
      await causes.getByText('No mark asks the provider to cache').waitFor();
      await causes.getByText('The system text has changed').waitFor();
      // Over time, of all apps and of one.
      const chart = section.getByRole('application', { name: 'Cost of misses by cause' });
      await chart.focus();
      await page.keyboard.press('End');
      await section.getByRole('listitem').filter({ hasText: 'The system text has changed' }).waitFor();
      await section.getByRole('combobox', { name: 'App' }).selectOption('https://coder.example');
      await section
        .getByRole('listitem')
        .filter({ hasText: 'The system text has changed' })
        .waitFor({ state: 'detached' });
      await section.getByRole('listitem').filter({ hasText: 'No mark asks the provider to cache' }).waitFor();
      const apps = section.getByRole('table', { name: 'By app' });
      expect(await apps.getByRole('link').allInnerTexts()).toContain('https://coder.example');
      const report = (await (await ui.call('/admin/v1/generations/cache-marks')).json()) as {
        sums: { would_have_saved: number };
      };
      const saved = report.sums.would_have_saved.toFixed(3);
      await section.getByText(new RegExp(`Automatic marks would have saved \\$${saved.replace('.', '\\.')}`)).waitFor();
      expect(await section.getByText('routing.automaticCacheMarks').count()).toBe(1);
      for (const theme of firstOrAll('light' as const, 'dark' as const)) {
        await setTheme(opened, theme);
        for (const width of [480, 1440, 2560]) {
          await page.setViewportSize({ width, height: 1000 });
          await section.scrollIntoViewIfNeeded();
          await screenshot(`cache-causes-${theme}-${width}`);
          const box = await section.evaluate((element) => element.scrollWidth - element.clientWidth);
          expect(box, `${theme} ${width}`).toBeLessThanOrEqual(0);
        }
        expect(await check()).toEqual([]);
      }
      expect(problems).toEqual([]);
    });

    test('an example leads to its request, an app to its requests, a session to its page', async () => {
      const { page } = await ui.open('#/');
      const section = page.getByRole('region', { name: 'Prompt cache', exact: true });
      const show = async (): Promise<void> => section.getByRole('button', { name: 'Find the causes' }).click();
      await show();
      await section.getByRole('link', { name: 'Request 1', exact: true }).first().click();
      await expect.poll(() => page.url()).toMatch(/#\/generations\/gen-.*tab=usage/);
      // A page that is left before it is there takes its address along.
      await page.getByRole('tab', { name: 'Usage and cost', selected: true }).waitFor();
      await page.goBack();
      await show();
      await section.getByRole('link', { name: 'https://coder.example' }).click();
      await expect.poll(() => decodeURIComponent(page.url())).toContain('https://coder.example');
      await page.getByRole('grid').getByRole('row').nth(1).waitFor();
      await page.goBack();
      await show();
      await section.getByRole('link', { name: 'coder-1' }).click();
      await expect.poll(() => page.url()).toContain('#/generations/sessions/coder-1');
    });

    test('speaks German', async () => {
      const { page } = await ui.open('#/', { locale: 'de-DE' });
      await page.getByRole('button', { name: 'Ursachen finden' }).click();
      await page.getByRole('rowheader', { name: 'Keine Markierung bittet den Anbieter um den Cache' }).waitFor();
      await page.getByText(/Automatische Markierungen hätten in diesem Zeitraum .* gespart\./).waitFor();
    });
  },
);
