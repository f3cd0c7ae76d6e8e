import { expect, onTestFinished, test } from 'vitest';

import { launchUi, skipped } from '../e2e/launch-ui.ts';
import { TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres } from './support/engines.ts';
import { startOwnPostgres } from './support/own-servers.ts';

test.skipIf(missingPostgres !== undefined || skipped !== undefined)(
  'a form that cannot be saved while the database is away says so, stays as it is, and is saved when tried again',
  async () => {
    const upstream = await openUpstream();
    const { server, url } = await startOwnPostgres();
    const config = toClusterConfig(upstream, { database: url });
    const ui = await launchUi({ config, managementKey: TEST_MANAGEMENT_KEY });
    onTestFinished(() => ui.close());
    const { page, check, screenshot } = await ui.open('#/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New key' });
    await dialog.getByLabel('Name', { exact: true }).fill('Night shift');
    await dialog.getByLabel('Limit in USD').fill('12.5');

    await server.kill();
    const state = page.getByRole('banner').getByRole('status').first();
    await expect.poll(() => state.innerText()).toBe('Database unavailable · requests continue');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const alert = dialog.getByRole('alert');
    await alert.waitFor();
    const told = await alert.innerText();
    expect(told).toContain('Not saved');
    expect(told).toContain('Your input is kept. The database is unavailable. Try again when it’s back.');
    expect(told).not.toContain('503');
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Night shift');
    expect(await check()).toEqual([]);
    await screenshot('database-away-save');
    await page.setViewportSize({ width: 390, height: 800 });
    await screenshot('database-away-save-390');

    await server.start();
    await expect.poll(() => state.innerText()).toMatch(/^Running/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('sk-gw-v1-').first().waitFor();
    const { data } = (await (await ui.call('/api/v1/keys')).json()) as { data: { name: string; limit: number }[] };
    expect(data.filter(({ name }) => name === 'Night shift').map(({ limit }) => limit)).toEqual([12.5]);
  },
);
