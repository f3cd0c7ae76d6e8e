import { describe, expect, onTestFinished, test } from 'vitest';

import { examine } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

const MANAGEMENT_KEY = 'sk-management-of-the-catalog';
const SETUP = '/admin/v1/setup';
const pricing = { prompt: '0.000001', completion: '0.000002' };

const isSkipped = skipped !== undefined;
const why = isSkipped ? `, skipped: ${skipped}` : '';

describe.skipIf(isSkipped)(`updates of the catalog${why}`, { timeout: 120_000 }, () => {
  async function launch(): Promise<Ui> {
    const { baseUrl } = await startRawUpstream(({ socket }) => {
      const listed = { id: 'chat-1', context_length: 2000, pricing: { prompt: '0.000001', completion: '0.000004' } };
      socket.end(toRawResponse(200, { data: [listed] }));
    });
    const empty = await startRawUpstream(({ socket }) => void socket.end(toRawResponse(200, { data: [] })));
    const endpoints = [{ provider: 'acme', providerModel: 'chat-1', pricing }];
    const ui = await launchUi({
      managementKey: MANAGEMENT_KEY,
      config: {
        auth: { bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }] },
        providers: [
          { slug: 'acme', wire: 'openai', baseUrl, apiKey: 'k' },
          { slug: 'beta', wire: 'openai', baseUrl: empty.baseUrl, apiKey: 'k' },
        ],
        models: [{ id: 'own/fixed', endpoints }],
        catalog: { update: { every: '1d' } },
      },
    });
    onTestFinished(() => ui.close());
    expect((await ui.call(`${SETUP}/models`, { body: { id: 'own/chat', endpoints } })).status).toBe(201);
    return ui;
  }

  const priceOf = async (ui: Ui): Promise<string | undefined> => {
    const response = await ui.call('/api/v1/models');
    const { data } = (await response.json()) as { data: { id: string; pricing: { completion: string } }[] };
    return data.find(({ id }) => id === 'own/chat')?.pricing.completion;
  };

  test('what the schedule has found is a notice, and the chosen changes are applied and taken back', async () => {
    const ui = await launch();
    const opened = await ui.open('#/models');
    const { page } = opened;
    const notice = page.getByText(/facts changed at acme/);
    await notice.waitFor();
    await page.getByRole('button', { name: 'Check for updates' }).click();
    const dialog = page.getByRole('dialog', { name: 'Updates of prices and limits' });
    const price = dialog.getByRole('row').filter({ hasText: 'own/chat' }).filter({ hasText: 'pricing.completion' });
    await price.getByText('$4/M').waitFor();
    const fixed = dialog.getByRole('checkbox', { name: 'pricing.completion of own/fixed' });
    expect(await fixed.isDisabled()).toBe(true);
    expect(await examine(opened, 'catalog-updates')).toEqual([]);
    await dialog.getByRole('checkbox', { name: 'context_length of own/chat' }).uncheck();
    await dialog.getByRole('button', { name: 'Apply 1 change' }).click();
    await page.getByText('1 change was applied').first().waitFor();
    expect(await priceOf(ui)).toBe('0.000004');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The changes were taken back').first().waitFor();
    expect(await priceOf(ui)).toBe('0.000002');

    // Of one provider alone; the other lists nothing.
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await dialog.getByLabel('Provider').selectOption('beta');
    await dialog.getByText('Everything is up to date').waitFor();
    await dialog.getByLabel('Provider').selectOption('acme');
    await price.getByText('$4/M').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    // A notice that was dismissed stays away, also after a reload.
    await notice.waitFor();
    await page.getByRole('button', { name: 'Dismiss notice' }).click();
    await notice.waitFor({ state: 'detached' });
    await opened.go('#/models');
    await page.getByText('own/chat').first().waitFor();
    expect(await notice.count()).toBe(0);
    // Something else that is found is told again.
    await page.evaluate(
      `localStorage.setItem('model-gateway.preferences', localStorage.getItem('model-gateway.preferences').replace('0.000004', '0.000005'))`,
    );
    await opened.go('#/models');
    await notice.waitFor();
  });
});
