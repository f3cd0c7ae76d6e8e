import { fileURLToPath } from 'node:url';

import { createGateway, type Gateway, type Principal } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, listen, type Listener } from '@model-gateway/node';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { serveUi } from '../../packages/server/src/ui/serve-ui.ts';
import { createOrganization, fillStore, toActor } from '../contract/roles/organization.ts';
import { findChromium } from '../e2e/find-chromium.ts';
import { skipped } from '../e2e/launch-ui.ts';

const BUNDLE = fileURLToPath(new URL('../../packages/ui/bundle/', import.meta.url));
const API = ['api', 'admin', 'health', 'openapi'] as const;

describe.skipIf(skipped !== undefined)(`roles (${skipped ?? 'in Chromium'})`, { timeout: 90_000 }, () => {
  let browser: Browser;
  let gateway: Gateway;
  let listener: Listener;
  let caller: Principal | null = null;
  const organization = createOrganization(120, Date.now());
  const store = createMemoryStore();

  beforeAll(async () => {
    await fillStore(store, organization);
    gateway = createGateway({
      store,
      platform: createNodePlatform(),
      providers: [],
      models: [],
      authenticate: () => caller,
    });
    const { handle, matches } = gateway;
    const withUi: Gateway = {
      ...gateway,
      handle: (request) => (matches(request.method, request.path, API) ? handle(request) : serveUi(request, BUNDLE)),
    };
    listener = await listen(withUi, { port: 0 });
    browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox', '--disable-gpu'] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await listener?.close();
    await gateway?.close();
  });

  /** Every screen that the navigation offers, one after the other; what was refused, and all that could be read. */
  async function walk(id: string, role: NonNullable<Principal['member']>['role']) {
    caller = toActor(id, role, organization).principal;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${new URL(response.url()).pathname}`);
    });
    await page.goto(listener.url);
    const navigation = page.getByRole('navigation', { name: 'Screens' }).first();
    await navigation.getByRole('link').first().waitFor();
    const names: string[] = [];
    let text = '';
    for (const link of await navigation.getByRole('link').all()) {
      const name = (await link.innerText()).trim();
      names.push(name);
      const heading = page.getByRole('heading', { level: 1 }).first();
      const before = await heading.textContent();
      await link.click();
      // The first link is that of the screen which is open.
      if (names.length > 1) await expect.poll(() => heading.textContent()).not.toBe(before);
      await page.waitForLoadState('networkidle');
      text += await page.locator('main').innerText();
    }
    return { page, names, refused, text, close: () => context.close() };
  }

  test('a developer finds their own calls, keys and spend, and nothing that is refused or of others', async () => {
    const { page, names, refused, text, close } = await walk('anna', 'developer');
    expect(names).toEqual(expect.arrayContaining(['Overview', 'Keys', 'Playground', 'Models', 'Settings']));
    for (const name of ['Members', 'Audit log', 'Providers', 'Reruns']) expect(names).not.toContain(name);
    expect(refused).toEqual([]);
    expect(text).toContain('-of-anna');
    // Their own theme and language, and nothing of the account.
    expect(text).toContain('Theme');
    expect(text).not.toContain('Model rules');
    expect(text).not.toMatch(/of-(?:bert|cleo|dora|emil|fred)/);
    const open = (name: string): Promise<void> =>
      page.getByRole('navigation', { name: 'Screens' }).first().getByRole('link', { name, exact: true }).click();
    await open('Generations');
    await page.getByRole('row', { name: /anna/ }).first().click();
    await page.getByRole('button', { name: 'More' }).last().click();
    await page.getByRole('menuitem', { name: /Delete/ }).waitFor();
    const actions = await page.getByRole('menuitem').allInnerTexts();
    expect(actions.join()).toMatch(/Delete/);
    expect(actions.join()).not.toMatch(/fixture|again|Rerun/i);
    await page.keyboard.press('Escape');
    await open('Keys');
    await page
      .getByRole('row', { name: /of-anna/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete…' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(refused).toEqual([]);
    await open('Keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Management key').count()).toBe(0);
    await dialog.getByLabel('Name').fill('Mine');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText(/sk-gw-v1-/).waitFor();
    expect(refused).toEqual([]);
    await close();
  });

  test.each(['owner', 'administrator'] as const)(
    'a new key of an %s is theirs unless they choose otherwise, and owners alone are offered a management key',
    async (role) => {
      const { page, close } = await walk('emil', role);
      await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
      const dialog = page.getByRole('dialog');
      const makeKey = async (name: string, member?: string): Promise<string | null | undefined> => {
        await page.getByRole('button', { name: 'New key' }).first().click();
        const choice = dialog.getByLabel('Member', { exact: true });
        await expect.poll(() => choice.inputValue()).toBe('emil');
        if (member !== undefined) await choice.selectOption(member);
        expect(await dialog.getByLabel('Management key').count()).toBe(role === 'owner' ? 1 : 0);
        await dialog.getByLabel('Name').fill(name);
        await dialog.getByRole('button', { name: 'Create key' }).click();
        await dialog.getByText(/sk-gw-v1-/).waitFor();
        await dialog.getByRole('button', { name: 'Done' }).click();
        return (await store.keys.list()).find((key) => key.name === name)?.creatorUserId;
      };
      expect(await makeKey(`${role}-own`)).toBe('emil');
      expect(await makeKey(`${role}-nobody`, '')).toBeNull();
      expect(await makeKey(`${role}-other`, 'fred')).toBe('fred');
      await close();
    },
  );

  test('billing finds spend and members, and no calls', async () => {
    const { page, names, refused, text, close } = await walk('dora', 'billing');
    expect(names).toEqual(expect.arrayContaining(['Overview', 'Keys', 'Members', 'Settings']));
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link', { name: 'Alarms' }).click();
    await page.getByRole('heading', { name: 'Alarms' }).waitFor();
    await page.waitForLoadState('networkidle');
    for (const name of ['Playground', 'Audit log']) expect(names).not.toContain(name);
    expect(refused).toEqual([]);
    expect(text).not.toMatch(/gen-\d+/);
    await close();
  });
});
