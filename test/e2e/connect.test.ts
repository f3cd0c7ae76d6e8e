import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { examine } from './examine.ts';
import { createHand, FOCUSED } from './hand.ts';
import { startKeyedUpstream, UPSTREAM_KEY as KEY } from './keyed-upstream.ts';
import { launchUi, skipped, type Ui } from './launch-ui.ts';

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
      const baseUrl = await startKeyedUpstream();
      const opened = await ui.open('#/');
      const { page } = opened;
      const hand = createHand(page);
      const began = performance.now();

      await hand.click('button', 'Add a provider');
      await expect.poll(() => page.evaluate(FOCUSED)).toBe('Search providers');
      await page.keyboard.press('Escape');
      await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Add a provider');
      await page.keyboard.press('Enter');
      await hand.type('Search providers', 'another');
      await page.keyboard.press('Enter');
      await hand.type('Address', baseUrl);
      await page.keyboard.press('Tab');
      await hand.type('Key', 'sk-wrong');
      await page.keyboard.press('Enter');
      const findings = page.getByRole('region', { name: 'Test results' });
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
      await page
        .getByText(/ added$/)
        .first()
        .waitFor();

      await hand.click('button', 'Next');
      await hand.click('button', /^Create a key named/);
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

    test('changes a stored provider, and names the models that go with it before it is deleted', async () => {
      const baseUrl = await startKeyedUpstream();
      const settings = { slug: 'up', name: 'Upstream', wire: 'openai', baseUrl, apiKey: KEY };
      await ui.call('/admin/v1/setup/providers', { body: settings });
      const opened = await ui.open('#/providers?open=up');
      const { page } = opened;
      const hand = createHand(page);
      const panel = page.getByRole('region', { name: 'Provider Upstream' });

      await panel.getByLabel('Key', { exact: true }).focus();
      await hand.type('Key', 'sk-another-key-0815');
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await panel.getByText('refused (HTTP 401)').waitFor();
      expect(await examine(opened, 'connect-provider')).toEqual([]);
      await panel.getByRole('button', { name: 'Save without testing' }).click();
      await page.getByText('Upstream saved').first().waitFor();
      const read = async () =>
        ((await (await ui.call('/admin/v1/setup/providers')).json()) as { data: { slug: string; key_hint: string }[] })
          .data;
      expect((await read()).find(({ slug }) => slug === 'up')?.key_hint).toBe('…0815');

      await panel.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('Upstream disabled').first().waitFor();
      await page.getByRole('grid', { name: 'Providers' }).getByText('Disabled').waitFor();
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Enable');

      const model = { id: 'own/small', endpoints: [{ provider: 'up', providerModel: 'small-1' }] };
      expect((await ui.call('/admin/v1/setup/models', { body: model })).status).toBe(201);
      await panel.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete provider' }).click();
      await page.getByRole('list', { name: 'Models of the provider' }).getByText('own/small').waitFor();
      opened.problems.splice(0);
      await page.getByRole('button', { name: 'Delete it and the model' }).click();
      await panel.waitFor({ state: 'detached' });
      expect((await read()).map(({ slug }) => slug)).not.toContain('up');
      expect(opened.problems).toEqual([]);
    });

    test('sets up a model whose price is kept exactly as it was typed', async () => {
      const baseUrl = await startKeyedUpstream();
      const settings = { slug: 'priced', wire: 'openai', baseUrl, apiKey: KEY };
      await ui.call('/admin/v1/setup/providers', { body: settings });
      const opened = await ui.open('#/models');
      const { page } = opened;
      const hand = createHand(page);

      await hand.click('button', 'Add a model');
      await hand.type('ID', 'own/priced');
      await page.keyboard.press('Tab');
      await hand.type('Aliases', 'cheap');
      await page.getByLabel('Provider', { exact: true }).selectOption('priced');
      await page.getByLabel('Provider’s model name', { exact: true }).focus();
      await hand.type('Provider’s model name', 'small-1');
      await page.getByText('One of 2 listed models').waitFor();
      await page.keyboard.press('Tab');
      await hand.type('Input, USD per million tokens', 'dear');
      await page.keyboard.press('Tab');
      await hand.type('Output, USD per million tokens', '0.1');
      await hand.click('button', 'Save');
      await page.locator('[aria-invalid=true]').waitFor();
      expect(opened.problems.splice(0)).toHaveLength(1);
      expect(await examine(opened, 'connect-model')).toEqual([]);
      await page.getByLabel('Input, USD per million tokens').focus();
      await page.keyboard.press('Control+A');
      await hand.type('Input, USD per million tokens', '0.1');
      await hand.click('button', 'Save');
      await page.getByRole('region', { name: 'Model own/priced' }).waitFor();

      const { data } = (await (await ui.call('/admin/v1/setup/models')).json()) as { data: readonly object[] };
      const pricing = { prompt: '0.0000001', completion: '0.0000001' };
      const endpoints = [{ provider: 'priced', providerModel: 'small-1', pricing }];
      expect(data).toContainEqual(
        expect.objectContaining({ status: 'ready', definition: { id: 'own/priced', aliases: ['cheap'], endpoints } }),
      );
      expect(opened.problems).toEqual([]);
    });
  },
);
