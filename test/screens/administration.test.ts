import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

interface Made {
  readonly data: { readonly id: string; readonly hash: string };
  readonly key: string;
}

describe.skipIf(skipped !== undefined)(`keys, members and limits (${skipped ?? 'in Chromium'})`, () => {
  let ui: Ui;

  const write = async (path: string, body: unknown): Promise<Made> => {
    const response = await ui.call(path, { body });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    return (await response.json()) as Made;
  };
  const read = async <Body>(path: string): Promise<Body> => (await (await ui.call(path)).json()) as Body;

  beforeAll(async () => {
    ui = await launchUi();
    await write('/admin/v1/members', { user_id: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' });
    const { data } = await write('/api/v1/guardrails', { name: 'EU-safe' });
    await write(`/api/v1/guardrails/${data.id}/assignments/members`, { member_user_ids: ['ada'] });
    await write('/api/v1/keys', { name: 'Laptop', creator_user_id: 'ada', limit: 5, limit_reset: 'weekly' });
    const { key } = await write('/api/v1/keys', { name: 'Build server' });
    const body = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] };
    await ui.call('/api/v1/chat/completions', { key, body });
  });
  afterAll(() => ui.close());

  test('keys are told apart by the end of their text, found, sorted, and shown with the guardrail of their member', async () => {
    const { page, problems, check } = await ui.open('#/keys');
    const laptop = page.getByRole('row', { name: /^Laptop/ });
    await laptop.getByText('EU-safe').waitFor();
    expect(await laptop.innerText()).toMatch(/…\w{3}/);
    expect(await laptop.innerText()).not.toContain('sk-gw-v1');
    expect(await page.getByText('All periods are in UTC.').count()).toBe(1);
    const names = async () => (await page.getByRole('row').allInnerTexts()).slice(1).map((text) => text.split('\n')[0]);
    expect((await names())[0]).toBe('Build server');
    await page.getByRole('button', { name: 'Name' }).click();
    await expect.poll(names).toEqual(['Build server', 'demo', 'demo management', 'Laptop']);
    expect(await check()).toEqual([]);
    await page.keyboard.press('/');
    await page.keyboard.type('eu-s');
    await expect.poll(names).toEqual(['Laptop']);
    await page.getByRole('searchbox').fill('nothing of the kind');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await expect.poll(async () => (await names()).length).toBe(4);
    await page.setViewportSize({ width: 480, height: 800 });
    await expect.poll(() => laptop.innerText()).toMatch(/…\w{3}/);
    expect(problems).toEqual([]);
  });

  test('members are listed, added, changed and removed', async () => {
    const { page, problems, check } = await ui.open('#/members');
    await page.getByRole('row', { name: /Ada Lovelace ada@example.com Developer 1 .* EU-safe never/ }).waitFor();
    await page.getByRole('button', { name: 'Add member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('ID').fill('bob');
    await dialog.getByLabel('Name').fill('Bob Stone');
    expect(await check()).toEqual([]);
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('button', { name: 'Actions for Bob Stone' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('Name').fill('Bob Rock');
    await dialog.getByLabel('Role').selectOption('administrator');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Bob Rock — Administrator 0/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Bob Rock' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove member' }).click();
    await page.getByRole('row', { name: /Bob Rock/ }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  test('a model is blocked for a member in four clicks, and what is replaced is said before', async () => {
    const { page, problems, check } = await ui.open('#/members');
    await page.getByRole('row', { name: /Ada Lovelace/ }).click();
    await page.getByRole('button', { name: 'New guardrail for this member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Replaces “EU-safe” for Ada Lovelace/).waitFor();
    await dialog.getByRole('combobox', { name: 'Blocked models' }).click();
    await page.keyboard.type('demo/chat');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: /^Remove demo\/chat/ }).waitFor();
    expect(await check()).toEqual([]);
    await dialog.getByRole('button', { name: 'Create guardrail' }).click();
    const chosen = page.getByRole('combobox', { name: 'Guardrail', exact: true });
    await expect.poll(() => chosen.locator('option:checked').innerText()).toBe('Rules for Ada Lovelace');
    const { data } = await read<{ data: { name: string; ignored_models: string[] }[] }>('/api/v1/guardrails');
    expect(data.find(({ name }) => name === 'Rules for Ada Lovelace')?.ignored_models).toHaveLength(1);
    await chosen.selectOption({ label: 'EU-safe' });
    await page.getByText(/A member can have only one/).waitFor();
    await page.getByRole('button', { name: 'Replace guardrail' }).click();
    await page.getByText('“EU-safe” assigned to Ada Lovelace').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('rate limits are explained where there are none, and apply once they are added', async () => {
    const { page, problems, check } = await ui.open('#/settings?section=account');
    const limits = page.getByRole('region', { name: 'Rate limits' });
    await limits.getByText(/^No rate limits/).waitFor();
    await limits.getByRole('button', { name: 'Add rate limit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Model').selectOption('demo/chat');
    await dialog.getByLabel('Requests per minute').fill('1');
    expect(await check()).toEqual([]);
    await dialog.getByRole('button', { name: 'Add rate limit' }).click();
    await limits.getByRole('row', { name: /^Each key demo\/chat 1 —/ }).waitFor();
    const { key } = await write('/api/v1/keys', { name: 'Fast' });
    const body = { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] };
    const send = async () => (await ui.call('/api/v1/chat/completions', { key, body })).status;
    expect([await send(), await send()]).toEqual([200, 429]);
    // The message would cover the menu.
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await limits.getByRole('button', { name: /^Actions for 1 request per minute/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await limits.getByText(/^No rate limits/).waitFor();
    expect(await send()).toBe(200);
    expect(problems).toEqual([]);
  });
});
