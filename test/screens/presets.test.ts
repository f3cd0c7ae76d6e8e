import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { FIND_UNFIT } from '../e2e/find-unfit.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const API_KEY = 'sk-gw-v1-presets-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;

/** Not in the blank page before, which may keep nothing. */
const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${API_KEY}')`;

interface UpstreamRequest {
  readonly model: string;
  readonly temperature?: number;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

let ui: Ui;
let closeUpstream: () => void;
const requests: UpstreamRequest[] = [];

async function startUpstream(): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (data) => (body += String(data)));
    request.on('end', () => {
      requests.push(JSON.parse(body) as UpstreamRequest);
      const choice = { index: 0, delta: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' };
      const facts = { id: 'x', created: 1, model: 'chat', object: 'chat.completion.chunk' };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ ...facts, choices: [choice] })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeUpstream = () => server.close();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const readPreset = async (slug: string): Promise<unknown> =>
  ((await (await ui.call(`/api/v1/presets/${slug}`, { key: API_KEY })).json()) as { data: unknown }).data;

describe.skipIf(skipped !== undefined)(
  `presets of the playground${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      const baseUrl = await startUpstream();
      const config = {
        auth: {
          bootstrapKeys: [
            { key: API_KEY, kind: 'api', name: 'dev' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'Mo' },
          ],
        },
        providers: [{ slug: 'here', name: 'Here', wire: 'openai', baseUrl }],
        models: ['acme/chat', 'acme/other'].map((id) => ({
          id,
          endpoints: [{ provider: 'here', providerModel: id }],
        })),
      };
      ui = await launchUi({ config, managementKey: MANAGEMENT_KEY });
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      closeUpstream?.();
    });

    test.each([
      ['wide', 1440],
      ['narrow', 480],
    ])('are saved, used, put back to an earlier version, and deleted on a %s screen', async (size, width) => {
      requests.length = 0;
      const slug = `kind-${size}`;
      const { page, problems, check, screenshot } = await ui.open('#/playground?models=acme/other', {
        managementKey: MANAGEMENT_KEY,
        initScript: CHOOSE_KEY,
      });
      page.setDefaultTimeout(10_000);
      await page.setViewportSize({ width, height: 900 });
      const dialog = page.getByRole('dialog');
      const look = async (what: string): Promise<void> => {
        await screenshot(`presets-${what}-${size}`);
        expect(await check()).toEqual([]);
        expect(await page.evaluate(FIND_UNFIT)).toEqual([]);
        expect(await page.evaluate(WIDTH)).toBeLessThanOrEqual(width);
      };
      const choose = async (item: string): Promise<void> => {
        await page.getByRole('button', { name: 'Presets', exact: true }).click();
        await page.getByRole('menuitem', { name: item }).click();
      };
      const save = async (system: string): Promise<void> => {
        const field = page.getByRole('textbox', { name: 'System message' });
        if (!(await field.isVisible())) await page.getByRole('button', { name: /^System message/ }).click();
        await field.fill(system);
        await choose('Save as a preset…');
        await dialog.getByLabel('Slug').fill(slug);
      };

      await save('Be kind.');
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText(`Saved version 1 of “${slug}”`, { exact: true }).waitFor();
      await save('Be very kind.');
      await dialog.getByText('This slug is taken').waitFor();
      await look('save');
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText(`Saved version 2 of “${slug}”`, { exact: true }).waitFor();

      await choose('Open presets…');
      await dialog.getByText(`@preset/${slug}`).waitFor();
      await look('list');
      await dialog.getByRole('button', { name: `Versions of ${slug}` }).click();
      const versions = dialog.getByRole('list', { name: 'Versions' });
      await versions.getByRole('button', { name: /^Version 1/ }).click();
      await dialog.getByRole('button', { name: 'Use this version' }).click();
      await page.getByText('Calls use version 1.', { exact: true }).waitFor();
      await versions.getByRole('button', { name: /^Version 1\s*in use/ }).waitFor();
      await look('versions');
      expect(await readPreset(slug)).toMatchObject({
        designated_version: { version: 1, system_prompt: 'Be kind.', config: { model: 'acme/other' } },
      });

      await dialog.getByRole('button', { name: 'Use', exact: true }).click();
      await page.getByRole('button', { name: /Remove column 1/ }).click();
      await page.getByRole('textbox', { name: 'System message' }).fill('');
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hi');
      await page.getByRole('textbox', { name: 'Message', exact: true }).press('Control+Enter');
      await page.getByText('Hello there.').waitFor();
      expect(requests).toMatchObject([
        {
          model: 'acme/other',
          messages: [
            { role: 'system', content: 'Be kind.' },
            { role: 'user', content: 'Hi' },
          ],
        },
      ]);
      await screenshot(`presets-used-${size}`);

      await choose('Open presets…');
      await dialog.getByRole('button', { name: `Versions of ${slug}` }).click();
      await dialog.getByRole('button', { name: 'Open in the playground' }).click();
      await page.getByRole('button', { name: /^System message/ }).waitFor();
      await choose('Open presets…');
      await dialog.getByRole('button', { name: `Delete ${slug}` }).click();
      await dialog.last().getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByText(/^No presets yet/).waitFor();
      expect(problems).toEqual([]);
      await page.close();
    });
  },
);
