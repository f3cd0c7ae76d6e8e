import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';
import { fillProviderHistory } from '../support/stores/fill-provider-history.ts';

const KEY = 'sk-gw-v1-history-management';

let ui: Ui;

const model = (provider: string, id: string) => ({ id, endpoints: [{ provider, providerModel: 'chat' }] });

/** Nobody listens there: what is shown is what was recorded before the start. */
const CONFIG = {
  auth: { bootstrapKeys: [{ key: KEY, kind: 'management', name: 'admin' }] },
  providers: ['acme', 'beta', 'gamma', 'delta'].map((slug) => ({
    slug,
    name: slug[0]?.toUpperCase() + slug.slice(1),
    preset: 'openai',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'planted',
  })),
  models: [
    model('acme', 'acme/chat'),
    model('beta', 'beta/chat'),
    model('gamma', 'gamma/chat'),
    model('delta', 'd/chat'),
  ],
};

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe.skipIf(skipped !== undefined)(
  `The history of providers${skipped === undefined ? '' : ` (not here: ${skipped})`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi({
        config: CONFIG,
        managementKey: KEY,
        prepareData: (dir) => fillProviderHistory(dir, Date.now()),
      });
    });
    afterAll(() => ui?.close());

    test('shows after a start how providers stood before it, in the list and by small bars', async () => {
      const { page, problems, check } = await ui.open('#/providers', { managementKey: KEY });
      await rowOf(page, 'Acme').locator('[data-look=good]').first().waitFor();
      await rowOf(page, 'Beta').getByText('Degraded').waitFor();
      await rowOf(page, 'Gamma').getByText('Down', { exact: true }).waitFor();
      expect(await rowOf(page, 'Acme').innerText()).toMatch(/0\.0.%/);
      expect(await rowOf(page, 'Beta').innerText()).toMatch(/\d+\.\d.%/);
      expect(await rowOf(page, 'Gamma').locator('[data-look=bad]').count()).toBeGreaterThan(0);
      expect(await rowOf(page, 'Acme').locator('[data-look=good]').count()).toBeGreaterThan(5);
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('reads the hours by keys, lists the calls of one, and says why they failed', async () => {
      const { page, problems, check } = await ui.open('#/providers?open=beta', {
        managementKey: KEY,
      });
      const panel = page.getByRole('region', { name: 'Provider Beta' });
      await panel.getByText(/^Last request .* failed\.$/).waitFor();
      expect(await panel.getByRole('list', { name: 'Failures by kind' }).innerText()).toContain('rate limited');
      await panel.getByText(/^Beta is (overloaded|limiting)/).waitFor();
      const strip = panel.getByRole('application', { name: 'Requests to Beta by hour' });
      await strip.focus();
      await page.keyboard.press('ArrowLeft');
      const reading = panel.locator('[data-part=reading]');
      await expect.poll(() => reading.innerText()).toMatch(/\d+ requests?, .*failed/);
      const first = await reading.innerText();
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => reading.innerText()).not.toBe(first);
      await page.keyboard.press('End');
      await page.keyboard.press('Home');
      await page.keyboard.press('Escape');
      await expect.poll(() => reading.innerText()).toContain('Point at an hour');
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => reading.innerText()).toBe(first);
      expect(await check()).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
      const query = new URLSearchParams(page.url().split('?')[1]);
      expect(query.get('where')).toBe('endpoint:beta:*,beta/*');
      const calls = Number(/(\d+) requests?/.exec(first)?.[1]);
      await expect.poll(() => page.getByRole('row').count()).toBe(calls + 1);
      expect(problems).toEqual([]);
    });

    test('shows seven days, and the same as a table', async () => {
      const { page, problems, check } = await ui.open('#/providers?open=gamma', {
        managementKey: KEY,
      });
      const panel = page.getByRole('region', { name: 'Provider Gamma' });
      const hours = panel.locator('[data-hour]');
      await expect.poll(() => hours.count()).toBe(24);
      await panel.getByRole('button', { name: '7 days' }).click();
      await expect.poll(() => hours.count()).toBeGreaterThan(6 * 24);
      await panel
        .getByText('never')
        .or(panel.getByText(/^(once|\d+ times)$/))
        .first()
        .waitFor();
      await panel.getByRole('button', { name: 'Table' }).click();
      const table = panel.getByRole('region', { name: /as a table$/ });
      await table.getByText('no connection').first().waitFor();
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test.each(firstOrAll(480, 900, 1440))('fits into %d pixels, in both themes', async (width) => {
      const uiPage = await ui.open('#/providers', {
        managementKey: KEY,
        viewport: { width, height: 1000 },
      });
      const { page, problems, check, screenshot, go } = uiPage;
      // The narrow list leaves the hours to the page of a provider.
      const drawn = width < 900 ? page.getByRole('row').nth(1) : page.locator('[data-look=good]').first();
      await drawn.waitFor();
      for (const theme of ['dark', 'light'] as const) {
        await go('#/providers');
        await setTheme(uiPage, theme);
        await drawn.waitFor();
        await screenshot(`health-history-list-${width}-${theme}`);
        await go('#/providers?open=beta');
        await page.getByRole('application', { name: /^Requests to Beta/ }).waitFor();
        await page.getByRole('button', { name: '7 days' }).click();
        await expect.poll(() => page.locator('[data-hour]').count()).toBeGreaterThan(6 * 24);
        await screenshot(`health-history-panel-${width}-${theme}`);
        expect(await check({ ofColours: theme === 'light' })).toEqual([]);
      }
      expect(problems).toEqual([]);
    });
  },
);
