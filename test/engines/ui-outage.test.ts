import { expect, onTestFinished, test } from 'vitest';

import { launchUi, skipped } from '../e2e/launch-ui.ts';
import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { missingPostgres } from './support/engines.ts';
import { startPostgres } from './support/postgres-server.ts';

test.skipIf(missingPostgres !== undefined || skipped !== undefined)(
  'while the database is away a page keeps its list, says what it cannot load, and recovers by itself',
  async () => {
    const upstream = await startScriptedUpstream();
    onTestFinished(() => upstream.close());
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    const store = { type: 'postgres', url: await server.createDatabase() };
    const ui = await launchUi({ config: { ...toScriptedConfig(upstream), store }, managementKey: TEST_MANAGEMENT_KEY });
    onTestFinished(() => ui.close());
    const messages = [{ role: 'user', content: 'Hello' }];
    const call = () => ui.call('/api/v1/chat/completions', { body: { model: 'test/text', messages }, key: TEST_KEY });
    await call();
    const { page, screenshot } = await ui.open('#/generations');
    const calls = page.getByText('Hello', { exact: true });
    await expect.poll(() => calls.count(), { timeout: 10_000 }).toBe(1);

    const state = page.getByRole('banner').getByRole('status').first();
    expect(await state.innerText()).toBe('Running');

    await server.kill();
    await expect.poll(() => state.innerText(), { timeout: 10_000 }).toBe('Database away · calls go on');
    // A call goes on, and comes into the list by the feed.
    expect((await call()).status).toBe(200);
    await expect.poll(() => calls.count(), { timeout: 10_000 }).toBe(2);
    await page.reload();
    const alert = page.getByRole('alert').filter({ hasText: 'The database is away' });
    await alert.first().waitFor({ timeout: 20_000 });
    expect(await alert.first().innerText()).toContain('loads by itself when it is back');
    await page.getByText('Not counted').waitFor();
    await screenshot('database-away');

    await server.start();
    await expect.poll(() => calls.count(), { timeout: 20_000 }).toBe(2);
    expect(await alert.count()).toBe(0);
    await expect.poll(() => state.innerText(), { timeout: 10_000 }).toBe('Running');
  },
  150_000,
);
