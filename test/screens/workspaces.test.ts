import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

describe.skipIf(skipped !== undefined)(`workspaces (${skipped ?? 'in Chromium'})`, { timeout: 60_000 }, () => {
  let ui: Ui;
  const read = async <Body>(path: string): Promise<Body> => (await (await ui.call(path)).json()) as Body;
  const write = async (path: string, body: unknown): Promise<{ id: string }> => {
    const response = await ui.call(path, { body });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    return ((await response.json()) as { data: { id: string } }).data;
  };
  beforeAll(async () => {
    ui = await launchUi();
  });
  afterAll(() => ui.close());

  test('a workspace is added and set up, by its name alone at first', async () => {
    const { page, problems, check } = await ui.open('#/settings?section=workspaces');
    await page.getByRole('row', { name: /^Default default 2/ }).waitFor();
    await page.getByRole('button', { name: 'Add workspace' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Film team');
    await dialog.getByRole('button', { name: 'Add workspace' }).click();
    await page.getByRole('heading', { name: 'Film team' }).waitFor();
    await page.getByRole('combobox', { name: 'Default model' }).fill('demo/chat');
    await page.getByLabel('Routing strategy').selectOption('Lowest latency');
    await page.getByLabel('Automatic cache marks').selectOption('On');
    await page.getByLabel('Share of requests in %').fill('12.5');
    await page.getByRole('combobox', { name: 'Disabled server tools' }).click();
    await page.keyboard.type('web_search');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Remove openrouter:web_search/ }).waitFor();
    expect(await check()).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Workspace saved', { exact: true }).waitFor();
    expect((await read<{ data: object }>('/api/v1/workspaces/film-team')).data).toMatchObject({
      name: 'Film team',
      default_text_model: 'demo/chat',
      default_provider_sort: 'latency',
      disabled_server_tools: ['openrouter:web_search'],
      automatic_cache_marks: true,
      io_logging_sampling_rate: 0.125,
    });
    expect(problems).toEqual([]);
  });

  test('budgets are saved together, and one that does not fit is said at its field', async () => {
    const { id } = await write('/api/v1/workspaces', { name: 'Research', slug: 'research' });
    const { page, problems, check } = await ui.open(`#/settings?section=workspaces&workspace=${id}`);
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByLabel('Daily in USD').fill('5');
    await budgets.getByLabel('Monthly in USD').fill('4');
    await budgets.getByRole('button', { name: 'Save' }).click();
    await budgets
      .getByText(/the daily budget \(\$5\) must be below the monthly budget/)
      .first()
      .waitFor();
    expect(await budgets.getByLabel('Monthly in USD').getAttribute('aria-invalid')).toBe('true');
    expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
    expect(await check()).toEqual([]);
    await budgets.getByLabel('Monthly in USD').fill('100');
    await budgets.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Budgets saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'All workspaces' }).click();
    await page.getByRole('row', { name: /^Research research 0 \$0 \$5.00 a day, \$100.00 a month/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test('members join a workspace and leave it, and one who has a key there stays', async () => {
    const { id } = await write('/api/v1/workspaces', { name: 'Lab', slug: 'lab' });
    await write('/admin/v1/members', { user_id: 'lab-mo', name: 'Mo Berg' });
    const { page, problems, check } = await ui.open(`#/settings?section=workspaces&workspace=${id}`);
    const members = page.getByRole('region', { name: 'Members' });
    await members.getByText('No members yet').waitFor();
    await members.getByRole('combobox', { name: 'Add members' }).click();
    await page.keyboard.type('Mo Berg');
    await page.keyboard.press('Enter');
    await members.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Members saved', { exact: true }).waitFor();
    const roles = async () => (await read<{ data: object }>('/admin/v1/workspaces/lab/roles')).data;
    expect(await roles()).toMatchObject([{ user_id: 'lab-mo', role: 'member' }]);
    expect(await check()).toEqual([]);
    await members.getByLabel('Role of Mo Berg').selectOption('Viewer');
    await expect.poll(roles).toMatchObject([{ user_id: 'lab-mo', role: 'viewer' }]);
    await page.getByText('Members saved', { exact: true }).nth(1).waitFor();
    await page.getByRole('listitem').getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(roles).toMatchObject([{ user_id: 'lab-mo', role: 'member' }]);
    await write('/api/v1/keys', { name: 'own', creator_user_id: 'lab-mo', workspace_id: id });
    await members.getByRole('button', { name: /^Remove Mo Berg/ }).click();
    await members
      .getByText(/lab-mo has a key in this workspace/)
      .first()
      .waitFor();
    await members.getByRole('button', { name: /^Remove Mo Berg/ }).waitFor();
    expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  test('a question says what goes with a workspace before it is deleted', async () => {
    const { id } = await write('/api/v1/workspaces', { name: 'Old shop', slug: 'old-shop' });
    await write('/api/v1/guardrails', { name: 'Own', workspace_id: id });
    const { page, problems, check } = await ui.open('#/settings?section=workspaces');
    await page.getByRole('button', { name: 'Actions for Old shop' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Its budgets, provider keys, .*, 1 guardrail and 0 destinations will be deleted/).waitFor();
    expect(await check()).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete workspace' }).click();
    await page.getByRole('row', { name: /^Old shop/ }).waitFor({ state: 'detached' });
    expect((await ui.call('/api/v1/workspaces/old-shop')).status).toBe(404);
    expect(problems).toEqual([]);
  });

  test('a change of a workspace can be undone, and what is wrong is said at its field', async () => {
    const { id } = await write('/api/v1/workspaces', { name: 'Shop', slug: 'shop' });
    const { page, problems, check } = await ui.open(`#/settings?section=workspaces&workspace=${id}`);
    const slug = page.getByLabel('Slug');
    await slug.fill('default');
    await page.keyboard.press('Enter');
    await page.getByText('there is a workspace default already').first().waitFor();
    expect(await slug.getAttribute('aria-invalid')).toBe('true');
    expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
    expect(await check()).toEqual([]);
    await slug.fill('store');
    await page.getByLabel('Store prompts and responses').uncheck();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Workspace saved', { exact: true }).waitFor();
    await page.getByRole('listitem').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => slug.inputValue()).toBe('shop');
    expect((await read<{ data: object }>(`/api/v1/workspaces/${id}`)).data).toMatchObject({
      slug: 'shop',
      is_observability_io_logging_enabled: true,
    });
    expect(problems).toEqual([]);
  });

  test('a key is put into a workspace, which cannot be deleted while it has one', async () => {
    const { id } = await write('/api/v1/workspaces', { name: 'Agents', slug: 'agents' });
    const { page, problems, go } = await ui.open('#/keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Agent');
    await dialog.getByLabel('Workspace').selectOption('Agents');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page
      .getByText(/^sk-gw-v1-/)
      .first()
      .waitFor();
    await go(`#/settings?section=workspaces&workspace=${id}`);
    await page.getByRole('region', { name: 'Keys' }).getByRole('link', { name: 'Agent' }).waitFor();
    await page.getByRole('button', { name: 'Delete workspace' }).click();
    await page.getByText('This workspace has a key. Delete the key first.').waitFor();
    expect(problems).toEqual([]);
  });

  test('guardrails of all workspaces are listed, made and given to keys of any', async () => {
    const { id } = await write('/api/v1/workspaces', { name: 'Robotics', slug: 'robotics' });
    await write('/api/v1/guardrails', { name: 'Arms', workspace_id: id });
    await ui.call('/api/v1/keys', { body: { name: 'Gripper', workspace_id: id } });
    const { page, problems, check } = await ui.open('#/guardrails');
    await page.getByRole('row', { name: /Arms Workspace Robotics/ }).waitFor();
    await page.getByRole('button', { name: 'New guardrail' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Legs');
    await dialog.getByLabel('Workspace').selectOption('Robotics');
    await dialog.getByRole('combobox', { name: 'Keys' }).click();
    await page.keyboard.type('Gripper');
    await page.keyboard.press('Enter');
    expect(await check()).toEqual([]);
    await dialog.getByRole('button', { name: 'Create guardrail' }).click();
    await page.getByRole('row', { name: /Legs Workspace Robotics.* 1 key/ }).waitFor();
    const list = await read<{ data: { name: string; workspace_id: string }[] }>(
      `/api/v1/guardrails?workspace_id=${id}`,
    );
    expect(list.data.map(({ name }) => name)).toEqual(expect.arrayContaining(['Arms', 'Legs']));
    expect(problems).toEqual([]);
  });

  test('they fit a narrow window in German', async () => {
    const { id } = await write('/api/v1/workspaces', { name: 'Lager', slug: 'lager' });
    const viewport = { width: 480, height: 900 };
    const { page, problems, check, go } = await ui.open('#/settings?section=workspaces', { locale: 'de-DE', viewport });
    await page.getByRole('row', { name: /^Lager/ }).waitFor();
    expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(480);
    expect(await check()).toEqual([]);
    await go(`#/settings?section=workspaces&workspace=${id}`);
    await page.getByLabel('Täglich in USD').waitFor();
    expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(480);
    expect(await check()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
