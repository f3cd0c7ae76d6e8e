import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, MANAGEMENT_KEY, skipped, type Ui } from '../e2e/launch-ui.ts';

describe.skipIf(skipped !== undefined)(
  `the audit log${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 90_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    const send = (method: string, path: string, body: unknown, key = MANAGEMENT_KEY): Promise<Response> =>
      fetch(`${ui.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    test('a change is found, shown as a difference without secrets, and exported; a refusal is counted', async () => {
      const made = await (await send('POST', '/api/v1/keys', { name: 'Nightly build', limit: 5 })).json();
      const { hash } = (made as { data: { hash: string } }).data;
      await send('PATCH', `/api/v1/keys/${hash}`, { limit: 12, limit_reset: 'daily' });
      const url = 'https://hooks.example/T0/very-secret-path';
      const config = { url, headers: { Authorization: 'very-secret-token' } };
      await send('POST', '/api/v1/observability/destinations', { type: 'webhook', name: 'Warehouse', config });
      for (let at = 0; at < 3; at += 1) await send('POST', '/api/v1/keys', { name: 'x' }, 'sk-gw-v1-demo');
      const { page, check, screenshot, problems } = await ui.open('#/audit');
      await page.getByRole('row', { name: /Key: create.*Refused 2×.*not allowed/ }).waitFor();
      expect(await check()).toEqual([]);
      await screenshot('audit-1440');
      await page.getByLabel('Search the audit log').fill('nightly');
      await page.getByRole('row', { name: /Destination created/ }).waitFor({ state: 'detached' });
      await page.getByRole('row', { name: /Key changed.*Nightly build/ }).click();
      const panel = page.getByRole('region', { name: /^Record \d+$/ });
      await panel.getByText('limitUsd').waitFor();
      const changes = await panel.getByRole('region', { name: 'Changes' }).innerText();
      expect(changes.replaceAll(/\s+/g, ' ')).toContain('limitUsd − Before 5 + After 12');
      expect(await check()).toEqual([]);
      await screenshot('audit-change-1440');
      await page.getByLabel('Search the audit log').fill('');
      await page.getByLabel('Subject').selectOption({ label: 'Destination' });
      await page.getByRole('row', { name: /Warehouse/ }).click();
      await panel.getByText('Secrets are shown as fingerprints.').waitFor();
      expect(await panel.innerText()).not.toContain('very-secret');
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: 'CSV' }).click();
      expect((await download).suggestedFilename()).toBe('audit.csv');
      expect(problems).toEqual([]);
    });

    test('it fits a narrow window, in German too', async () => {
      const { page, check, screenshot } = await ui.open('#/audit', {
        viewport: { width: 480, height: 900 },
        locale: 'de-DE',
      });
      await page.getByRole('row', { name: /Schlüssel geändert/ }).waitFor();
      expect(await check()).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await screenshot('audit-480');
      await page.getByRole('row', { name: /Ziel erstellt/ }).click();
      await page.getByText('Geheimnisse stehen hier als Fingerabdrücke.').waitFor();
      expect(await check()).toEqual([]);
      await screenshot('audit-change-480');
    });

    test('a next page that fails is told, and is asked for again when the user says so', async () => {
      let [looked, asked] = [0, 0];
      const { page } = await ui.open('#/', { hasClock: true });
      await page.route(/\/admin\/v1\/audit\?/, async (route) => {
        if (!route.request().url().includes('cursor=')) {
          looked += 1;
          const response = await route.fetch();
          return route.fulfill({ response, json: { ...((await response.json()) as object), next: 'older' } });
        }
        asked += 1;
        if (asked === 1) return route.fulfill({ status: 400, json: { error: { code: 400, message: 'No such page' } } });
        return route.fulfill({ json: { data: [], next: null } });
      });
      await page.evaluate("location.assign('#/audit')");
      const told = page.getByText('Couldn’t load more records');
      await told.waitFor();
      // The page that is there is loaded again, which is no reason to ask for the next one.
      const lookAgain = async (): Promise<number> => {
        await page.clock.runFor(11_000);
        return looked;
      };
      await expect.poll(lookAgain).toBeGreaterThanOrEqual(3);
      expect([await told.count(), asked]).toEqual([1, 1]);
      await page.getByRole('button', { name: 'Try again' }).click();
      await told.waitFor({ state: 'detached' });
      expect(asked).toBe(2);
      // One that is asked for by the clock may be under way.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });

    test('a record that the list lacks is told, and one that was open does not come back by itself', async () => {
      const { data } = (await (await ui.call('/admin/v1/audit?outcome=done')).json()) as { data: [{ id: string }] };
      const { page, follow, check, problems } = await ui.open('#/audit?open=none');
      const missing = page.getByRole('region', { name: 'This record isn’t in the list' });
      await missing.waitFor();
      expect(await missing.getByRole('button', { name: 'Clear filters' }).count()).toBe(0);
      expect(await check()).toEqual([]);
      await follow(`#/audit?open=${data[0].id}&outcome=refused`);
      await missing.getByRole('button', { name: 'Clear filters' }).click();
      const panel = page.getByRole('region', { name: /^Record \d+$/ });
      await panel.waitFor();
      await page.getByRole('combobox', { name: 'Outcome' }).selectOption('Refused');
      await panel.waitFor({ state: 'detached' });
      await page.getByRole('combobox', { name: 'Outcome' }).selectOption('Any outcome');
      await page
        .getByRole('row', { name: /Nightly build/ })
        .first()
        .waitFor();
      expect([await panel.count(), page.url()]).toEqual([0, `${ui.url}/ui/#/audit`]);
      expect(problems).toEqual([]);
    });

    test('a destination is switched to get the audit log and metrics', async () => {
      const made = await ui.call('/api/v1/observability/destinations', {
        body: { type: 'webhook', name: 'Copy', config: { url: 'https://example.com/' } },
      });
      const { data } = (await made.json()) as { data: { id: string } };
      const { page, problems, check } = await ui.open(`#/destinations?open=${data.id}`);
      await page.getByLabel('Send the audit log').check();
      await page.getByLabel('Metrics interval, seconds').fill('60');
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(async () => (await ui.call(`/api/v1/observability/destinations/${data.id}`)).json())
        .toMatchObject({ data: { audit_log: true, metrics_every_seconds: 60 } });
      expect(problems).toEqual([]);
    });
  },
);
