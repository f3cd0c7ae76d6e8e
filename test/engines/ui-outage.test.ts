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
    const { page, go, screenshot } = await ui.open('#/generations');
    const calls = page.getByText('Hello', { exact: true });
    await expect.poll(() => calls.count()).toBe(1);

    const state = page.getByRole('banner').getByRole('status').first();
    expect(await state.innerText()).toBe('Running');

    await server.kill();
    await expect.poll(() => state.innerText()).toBe('Database unavailable · requests continue');
    // A call goes on, and comes into the list by the feed.
    expect((await call()).status).toBe(200);
    await expect.poll(() => calls.count()).toBe(2);
    await page.reload();
    const alert = page.getByRole('alert').filter({ hasText: 'The database is unavailable' });
    await alert.first().waitFor();
    expect(await alert.first().innerText()).toContain('This loads automatically when it’s back');
    await page.getByText('Not counted').waitFor();
    await screenshot('database-away');
    await go('#/settings?section=gateway');
    const section = page.getByRole('region', { name: 'This gateway' });
    await expect.poll(() => section.innerText()).toContain('cannot be reached (ECONNREFUSED)');
    const told = await section.innerText();
    expect(told).toContain('Database unavailable · requests continue');
    const { host, pathname, password } = new URL(url);
    expect(told).toContain(`PostgreSQL, database ${pathname.slice(1)} at ${host}`);
    expect(told).not.toContain(password);
    await screenshot('database-away-settings');
    await go('#/generations');
    await alert.first().waitFor();

    await server.start();
    const main = page.getByRole('main');
    await expect.poll(() => main.innerText(), { timeout: 90_000 }).not.toContain('could not be loaded');
    await expect.poll(() => calls.count()).toBe(2);
    await expect.poll(() => alert.count()).toBe(0);
    await expect.poll(() => state.innerText()).toBe('Running');
  },
);

test.skipIf(missingPostgres !== undefined || skipped !== undefined)(
  'where the database is away at the start, a page says that calls are refused, and why nobody can sign in',
  async () => {
    const upstream = await openUpstream();
    const { server, url } = await startOwnPostgres();
    await server.kill();
    const config = toClusterConfig(upstream, { database: url });
    const ui = await launchUi({ config, managementKey: TEST_MANAGEMENT_KEY });
    onTestFinished(() => ui.close());
    expect(await (await ui.call('/health')).json()).toEqual({ status: 'ok', trouble: 'store_not_ready' });
    const { page, screenshot } = await ui.open('#/', { isSignedIn: false });
    const note = page.getByText('The gateway has not reached its database');
    await note.waitFor();
    await screenshot('database-away-sign-in');

    await server.start();
    await note.waitFor({ state: 'detached' });
    await page.getByLabel('Management key').fill(TEST_MANAGEMENT_KEY);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('banner').getByText('Running').waitFor();
  },
);
