import { describe, expect, onTestFinished, test } from 'vitest';

import { launchUi, skipped } from '../e2e/launch-ui.ts';
import { PAINTER, startImageUpstream } from '../support/upstreams/image-upstream.ts';

const API_KEY = 'sk-gw-v1-images-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
/** Not in the blank page before, which may keep nothing. */
const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${API_KEY}')`;

describe.skipIf(skipped !== undefined)(
  `images${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('are made in the workbench by a model that makes nothing else, and their price is in the cost of the call', async () => {
      const upstream = await startImageUpstream();
      const ui = await launchUi({
        managementKey: MANAGEMENT_KEY,
        config: {
          auth: {
            bootstrapKeys: [
              { key: API_KEY, kind: 'api', name: 'dev' },
              { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
            ],
          },
          providers: [{ slug: 'scripted', name: 'Scripted', wire: 'openai', baseUrl: upstream.baseUrl }],
          models: [PAINTER],
        },
      });
      onTestFinished(ui.close);
      const { page, go, problems, check, screenshot } = await ui.open('#/models/test/painter', {
        managementKey: MANAGEMENT_KEY,
        initScript: CHOOSE_KEY,
      });
      await page.getByText('Image made').first().waitFor();
      await screenshot('images-model');
      await page.getByRole('link', { name: 'Playground' }).last().click();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('A fox');
      await page.keyboard.press('Control+Enter');
      const column = page.getByRole('region', { name: 'Column 1:' });
      await column.getByRole('status').getByText('ok', { exact: true }).waitFor();
      await column.locator('img[src^="data:image/png"]').waitFor();
      await screenshot('images-workbench');
      expect(upstream.asked).toMatchObject([{ path: '/v1/images/generations', fields: { prompt: 'A fox' } }]);
      const { data } = (await (await ui.call('/admin/v1/generations')).json()) as { data: readonly { id: string }[] };
      await go(`#/generations?open=${data[0]?.id ?? ''}`);
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      await page.getByText('Images made').waitFor();
      await screenshot('images-cost');
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });
  },
);
