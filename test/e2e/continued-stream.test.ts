import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type ScriptedUpstream, startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { launchUi, skipped, type Ui } from './launch-ui.ts';

const API_KEY = 'sk-gw-v1-going-on-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;

let ui: Ui;
let upstream: ScriptedUpstream;

const toConfig = (baseUrl: string): object => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: 'dev' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  },
  routing: { order: ['first'] },
  providers: [
    { slug: 'first', name: 'First', wire: 'openai', baseUrl },
    { slug: 'next', name: 'Next', wire: 'openai', baseUrl },
  ],
  models: [
    {
      id: 'acme/chat',
      endpoints: [
        { provider: 'first', providerModel: 'cut' },
        { provider: 'next', providerModel: 'sound', prefill: 'continues' },
      ],
    },
  ],
});

describe.skipIf(skipped !== undefined)(
  `streams that go on elsewhere, in the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 90_000 },
  () => {
    beforeAll(async () => {
      upstream = await startScriptedUpstream();
      ui = await launchUi({ config: toConfig(upstream.baseUrl), managementKey: MANAGEMENT_KEY });
    });
    afterAll(async () => {
      await ui?.close();
      await upstream?.close();
    });

    test('the settings switch it on, and the timeline of a call says where a stream went on', async () => {
      const { page, problems, go, check, screenshot } = await ui.open('#/settings?section=routing');
      const wish = page.getByRole('checkbox', { name: /^Resume broken streams on another provider/ });
      expect(await wish.isChecked()).toBe(false);
      await wish.check();
      await screenshot('continued-streams-setting');
      await page.getByRole('button', { name: 'Save', exact: true }).first().click();
      await expect
        .poll(async () => JSON.stringify(await (await ui.call('/admin/v1/settings', { key: MANAGEMENT_KEY })).json()))
        .toContain('"continue_broken_streams":true');

      const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'Hello' }], stream: true };
      const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
      expect(await response.text()).not.toContain('"error"');
      await go(`#/generations/${response.headers.get('x-generation-id')}`);
      const attempts = page.getByRole('list', { name: 'Attempts' });
      await attempts.waitFor();
      expect(await attempts.innerText()).toMatch(/First[^]*then broke off[^]*Next[^]*continued after \d+ characters/);
      for (const width of [480, 900, 1440]) {
        await page.setViewportSize({ width, height: 1000 });
        await attempts.scrollIntoViewIfNeeded();
        await screenshot(`continued-streams-timeline-${width}`);
      }
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });
  },
);
