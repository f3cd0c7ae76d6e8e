import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const note = skipped === undefined ? '' : `, skipped: ${skipped}`;

/** The clipboard of a browser that does not let pages write to it. */
const REFUSED_CLIPBOARD =
  "Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } })";

/** Refuses requests whose address fits, with a message. */
const refuse = (page: Page, address: RegExp, method: string): Promise<unknown> =>
  page.route(address, (route) =>
    route.request().method() === method
      ? route.fulfill({ status: 409, json: { error: { code: 409, message: 'Someone else was there' } } })
      : route.continue(),
  );

describe.skipIf(skipped !== undefined)(`what screens keep, and what they tell${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi();
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('the filter box forgets what was wrong with a line once another filter is chosen', async () => {
    const { page } = await ui.open('#/generations');
    const box = page.getByRole('combobox', { name: 'Filter generations' });
    await box.fill('cost>much');
    await box.press('Enter');
    await expect.poll(() => box.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('ok');
    await expect.poll(() => box.inputValue()).toBe('status:ok');
    expect(await box.getAttribute('aria-invalid')).toBeNull();
    expect(await page.locator('#filter-problems').textContent()).toBe('');
  });

  test('a dry run stays as it was while another tab is open, and does not begin again by itself', async () => {
    const response = await ui.call('/api/v1/guardrails', { body: { name: 'Tried' } });
    const { data } = (await response.json()) as { data: { id: string } };
    const { page } = await ui.open(`#/guardrails?open=${data.id}`);
    let runs = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/dry-runs')) runs++;
    });
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.getByLabel('Only requests matching').fill('model:demo/*');
    await page.getByRole('tab', { name: 'Access' }).click();
    await page.getByRole('tab', { name: 'Test' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await page.getByLabel('Only requests matching').inputValue()).toBe('model:demo/*');
    expect(runs).toBe(1);
  });

  test('a button that may not copy does not say that it has', async () => {
    const { page } = await ui.open('#/models/demo/chat', { initScript: REFUSED_CLIPBOARD });
    const button = page.getByRole('button', { name: 'Copy model ID' });
    await button.click();
    await page.getByText('The browser blocked access to the clipboard', { exact: true }).waitFor();
    expect(await button.locator('.lucide-check').count()).toBe(0);
  });

  test('arrow keys choose among a few choices side by side, and Tab passes them in one step', async () => {
    const { page } = await ui.open('#/settings');
    const theme = page.getByRole('radiogroup').first();
    const radios = theme.getByRole('radio');
    const count = await radios.count();
    await theme.getByRole('radio', { checked: true }).focus();
    await page.keyboard.press('End');
    await expect.poll(() => radios.last().getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => radios.first().getAttribute('aria-checked')).toBe('true');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => radios.last().getAttribute('aria-checked')).toBe('true');
    expect(await theme.locator('[role=radio][tabindex="-1"]').count()).toBe(count - 1);
    expect(await radios.last().evaluate((radio) => radio === radio.ownerDocument.activeElement)).toBe(true);
  });

  test('a next page of fixtures that fails is told, and asked for again when told to', async () => {
    const { page } = await ui.open('#/');
    let asked = 0;
    await page.route(/\/admin\/v1\/fixtures\/cases\?/, async (route) => {
      if (/[?&]offset=0(&|$)/.test(route.request().url())) {
        const response = await route.fetch();
        const body = (await response.json()) as object;
        return route.fulfill({ json: { ...body, total_count: 999 } });
      }
      asked++;
      return route.fulfill({ status: 409, json: { error: { code: 409, message: 'Someone else was there' } } });
    });
    await page.goto(`${ui.url}/ui/#/fixtures`);
    await page.getByRole('grid', { name: 'Fixtures' }).press('End');
    await page.getByRole('alert').getByText('Someone else was there').waitFor();
    await page.waitForTimeout(2000);
    expect(asked).toBeLessThan(6);
    const before = asked;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => asked).toBeGreaterThan(before);
    await page.getByRole('grid', { name: 'Fixtures' }).waitFor();
  });

  test('what keys and members are looked for by stays in the address', async () => {
    await ui.call('/admin/v1/members', { body: { user_id: 'user-ada', name: 'Ada Lovelace', role: 'member' } });
    for (const [path, label, text, row] of [
      ['/keys', 'Search keys', 'managem', /management/],
      ['/members', 'Search members', 'lovel', /Ada Lovelace/],
    ] as const) {
      const { page, go } = await ui.open(`#${path}`);
      const field = page.getByRole('searchbox', { name: label });
      await field.fill(text);
      await expect.poll(() => page.url()).toContain(`#${path}?q=${text}`);
      await go(page.url().slice(page.url().indexOf('#')));
      await expect.poll(() => field.inputValue()).toBe(text);
      await expect.poll(() => page.getByRole('row').count()).toBe(2);
      await page.getByRole('row', { name: row }).waitFor();
      await field.press('Escape');
      await expect.poll(() => page.url()).not.toContain('q=');
    }
  });

  test('what is typed while a first frame is read stays', async () => {
    const slowReader = `
      const { readAsDataURL } = FileReader.prototype;
      FileReader.prototype.readAsDataURL = function (file) { setTimeout(() => readAsDataURL.call(this, file), 1000); };
    `;
    const { page } = await ui.open('#/videos', { initScript: slowReader });
    await page.getByRole('button', { name: 'New video' }).first().click();
    const prompt = page.getByRole('dialog').getByRole('textbox', { name: 'Prompt' });
    await prompt.waitFor();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.getByLabel('First frame').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
    await prompt.fill('A fox in the snow');
    await page.getByAltText('The first frame').waitFor();
    expect(await prompt.inputValue()).toBe('A fox in the snow');
  });
});

describe.skipIf(skipped !== undefined)(`what was set up in the web UI${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi({ isEmpty: true });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('an undo of the settings of a model that fails says so', async () => {
    const provider = { slug: 'gone', wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-0123456789' };
    expect((await ui.call('/admin/v1/setup/providers', { body: provider })).status).toBe(201);
    const model = { id: 'own/kept', endpoints: [{ provider: 'gone', providerModel: 'small-1' }] };
    expect((await ui.call('/admin/v1/setup/models', { body: model })).status).toBe(201);
    const { page, problems } = await ui.open('#/models?open=own/kept');
    await page.getByRole('tab', { name: 'Setup' }).click();
    await page.getByRole('button', { name: 'Delete settings' }).click();
    await page.getByText('Settings of own/kept deleted', { exact: true }).waitFor();
    await refuse(page, /\/admin\/v1\/setup\/models/, 'POST');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Couldn’t be undone', { exact: true }).waitFor();
    expect(problems.filter((problem) => problem.startsWith('script:'))).toEqual([]);
  });
});
