import { expect, onTestFinished, test } from 'vitest';

import { launchUi, skipped } from '../e2e/launch-ui.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { openUpstream, toClusterConfig } from './support/cluster-config.ts';
import { missingPostgres } from './support/engines.ts';
import { startOwnPostgres } from './support/own-servers.ts';

test.skipIf(missingPostgres !== undefined || skipped !== undefined)(
  'while the database is away a page keeps its list, says what it cannot load, and recovers by itself',
  async () => {
    const upstream = await openUpstream();
    const { server, url } = await startOwnPostgres();
    const config = toClusterConfig(upstream, { database: url });
    const ui = await launchUi({ config, managementKey: TEST_MANAGEMENT_KEY });
    onTestFinished(() => ui.close());
    const messages = [{ role: 'user', content: 'Hello' }];
    const call = () => ui.call('/api/v1/chat/completions', { body: { model: 'test/text', messages }, key: TEST_KEY });
    await call();
    const { page, screenshot } = await ui.open('#/generations');
    const calls = page.getByText('Hello', { exact: true });
    await expect.poll(() => calls.count(), { timeout: 10_000 }).toBe(1);

    await server.kill();
    // A call goes on, and comes into the list by the feed.
    expect((await call()).status).toBe(200);
    await expect.poll(() => calls.count(), { timeout: 10_000 }).toBe(2);
    await page.reload();
    const alert = page.getByRole('alert').filter({ hasText: 'The database of the gateway is not available' });
    await alert.first().waitFor({ timeout: 20_000 });
    expect(await alert.first().innerText()).toContain('load again by themselves');
    await page.getByText('Not counted').waitFor();
    await screenshot('database-away');

    await server.start();
    await expect.poll(() => calls.count(), { timeout: 20_000 }).toBe(2);
    expect(await alert.count()).toBe(0);
  },
  150_000,
);
