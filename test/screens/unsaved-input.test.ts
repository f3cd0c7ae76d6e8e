import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, MANAGEMENT_KEY, skipped, type Ui } from '../e2e/launch-ui.ts';

const note = skipped === undefined ? '' : `, skipped: ${skipped}`;

const FAILURE = { error: { code: 500, message: 'The store cannot be read' } };

/** What another administrator changes meanwhile. */
async function changeElsewhere(ui: Ui, method: string, path: string, body: object): Promise<void> {
  const { ok } = await fetch(ui.url + path, {
    method,
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(ok).toBe(true);
}

async function read<Data>(ui: Ui, path: string): Promise<Data> {
  return ((await (await ui.call(path)).json()) as { readonly data: Data }).data;
}

/** The user comes back to the page, which loads anew what others may have changed. */
const comeBack = (page: Page): Promise<unknown> => page.evaluate("dispatchEvent(new Event('focus'))");

const message = (page: Page, title: string): Locator =>
  page.locator('[data-messages] > *').filter({ has: page.getByText(title, { exact: true }) });

/** Lets the requests of a path fail from now on. Resolves to how many have failed. */
async function failFromNowOn(page: Page, path: RegExp): Promise<() => number> {
  let failed = 0;
  await page.route(path, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    await route.fulfill({ status: 500, json: FAILURE });
    failed++;
  });
  return () => failed;
}

describe.skipIf(skipped !== undefined)(`what is entered and not saved${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi();
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('a selection that is dragged out of a dialog does not close it, and a click beside it does', async () => {
    const { page } = await ui.open('#/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name', { exact: true });
    await name.fill('Dragged');
    const box = await name.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 30, (box?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move(5, 300, { steps: 4 });
    await page.mouse.up();
    expect(await name.inputValue()).toBe('Dragged');
    await page.mouse.click(5, 300);
    await dialog.waitFor({ state: 'detached' });
  });

  test('a click beside a key that is shown once leaves it there, and Escape closes it', async () => {
    const { page } = await ui.open('#/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shown once');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const secret = page.getByTestId('new-key');
    await secret.waitFor();
    await page.mouse.click(5, 300);
    await page.mouse.click(5, 400);
    expect(await secret.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await secret.waitFor({ state: 'detached' });
  });

  test('settings stay as they are being filled in when they cannot be loaded again, which is told later', async () => {
    const { page } = await ui.open('#/settings?section=account', { hasClock: true });
    const model = page.getByLabel('Default model');
    await model.fill('demo/chat');
    const failed = await failFromNowOn(page, /\/admin\/v1\/settings$/);
    await comeBack(page);
    await expect.poll(failed).toBe(1);
    // It asks a second time after a second.
    await page.clock.runFor(1500);
    await expect.poll(failed).toBe(2);
    await page.clock.runFor(2000);
    expect(await model.inputValue()).toBe('demo/chat');
    const alert = page.getByRole('alert').filter({ hasText: 'The store cannot be read' });
    expect(await alert.count()).toBe(0);
    await page.clock.runFor(10_000);
    await alert.waitFor();
    expect(await model.inputValue()).toBe('demo/chat');
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    expect(await model.inputValue()).toBe('demo/chat');
  });

  test('a dialog stays open over limits that cannot be loaded again', async () => {
    const { page } = await ui.open('#/settings?section=account', { hasClock: true });
    const section = page.getByRole('region', { name: 'Rate limits' });
    await section.getByRole('button', { name: 'Add rate limit' }).click();
    const requests = page.getByRole('dialog').getByLabel('Requests per minute');
    await requests.fill('7');
    // What is some seconds old is loaded anew when the user comes back.
    await page.clock.runFor(20_000);
    const failed = await failFromNowOn(page, /\/admin\/v1\/rate-limits$/);
    await comeBack(page);
    await expect.poll(failed).toBe(1);
    await page.clock.runFor(1500);
    await expect.poll(failed).toBe(2);
    await page.clock.runFor(500);
    expect(await requests.inputValue()).toBe('7');
  });
});

describe.skipIf(skipped !== undefined)(`what others change meanwhile${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi();
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('a rate limit that was added after another was deleted stays when that comes back', async () => {
    const limit = (model: string, requests: number) => ({
      key: '*',
      model,
      requests_per_minute: requests,
      tokens_per_minute: null,
    });
    const [first, other] = [limit('*', 11), limit('demo/chat', 22)];
    await changeElsewhere(ui, 'PUT', '/admin/v1/rate-limits', { data: [first] });
    const { page } = await ui.open('#/settings?section=account');
    const section = page.getByRole('region', { name: 'Rate limits' });
    await section.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await section.getByText(/^No rate limits/).waitFor();
    await changeElsewhere(ui, 'PUT', '/admin/v1/rate-limits', { data: [other] });
    await message(page, 'Rate limit deleted').getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Rate limits restored').waitFor();
    const shown = (limits: readonly object[]) => limits.map((one) => ({ ...one, source: 'stored' }));
    expect(await read(ui, '/admin/v1/rate-limits')).toEqual(shown([first, other]));
  });

  test('settings that another administrator changed stay when others are saved here, and when that is undone', async () => {
    const { page } = await ui.open('#/settings?section=account');
    const form = page.locator('form').filter({ has: page.getByLabel('Default model') });
    await form.getByLabel('Default model').fill('demo/chat');
    await changeElsewhere(ui, 'PATCH', '/admin/v1/settings', { credits_usd: 77, privacy: { zdr: true } });
    await form.getByLabel(/train/).click();
    await form.getByRole('button', { name: 'Save' }).click();
    const saving = message(page, 'Saved');
    await saving.waitFor();
    const saved = await read<Record<string, unknown>>(ui, '/admin/v1/settings');
    expect(saved).toMatchObject({ default_model: 'demo/chat', credits_usd: 77, privacy: { zdr: true } });
    await changeElsewhere(ui, 'PATCH', '/admin/v1/settings', { credits_usd: 88 });
    await saving.getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Settings restored').waitFor();
    const restored = await read<Record<string, unknown>>(ui, '/admin/v1/settings');
    expect(restored).toMatchObject({ default_model: null, credits_usd: 88, privacy: { zdr: true } });
    expect(await form.getByLabel('Credits').inputValue()).toBe('88');
  });

  test('what is typed while settings are saved, and before that is undone, stays in the form', async () => {
    const { page } = await ui.open('#/settings?section=account');
    const form = page.locator('form').filter({ has: page.getByLabel('Default model') });
    const credits = form.getByLabel('Credits');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/admin\/v1\/settings$/, async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await form.getByLabel('Default model').fill('demo/reasoner');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await form.getByRole('button', { name: 'Save' }).click();
    await sent;
    await credits.fill('123');
    release();
    const saving = message(page, 'Saved');
    await saving.waitFor();
    expect(await credits.inputValue()).toBe('123');
    expect(await form.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true);
    await saving.getByRole('button', { name: 'Undo' }).click();
    await message(page, 'Settings restored').waitFor();
    expect(await form.getByLabel('Default model').inputValue()).not.toBe('demo/reasoner');
    expect(await credits.inputValue()).toBe('123');
  });

  test('a budget that another administrator sets stays when another one is saved here', async () => {
    const created = await ui.call('/api/v1/workspaces', { body: { name: 'Shared', slug: 'shared' } });
    const { data } = (await created.json()) as { readonly data: { readonly id: string } };
    const { page } = await ui.open(`#/settings?section=workspaces&workspace=${data.id}`, { hasClock: true });
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByLabel('Monthly in USD').fill('100');
    await changeElsewhere(ui, 'PUT', `/api/v1/workspaces/${data.id}/budgets/daily`, { limit_usd: 5 });
    await page.clock.runFor(20_000);
    const loaded = page.waitForResponse((response) => response.url().endsWith(`/${data.id}/budgets`));
    await comeBack(page);
    await loaded;
    await budgets.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Budgets saved', { exact: true }).waitFor();
    const stored = await read<readonly { readonly limit_usd: number }[]>(ui, `/api/v1/workspaces/${data.id}/budgets`);
    expect(stored.map((budget) => budget.limit_usd).toSorted((one, two) => one - two)).toEqual([5, 100]);
  });
});
