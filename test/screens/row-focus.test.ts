import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const isSkipped = skipped !== undefined;

const RATE_LIMITS = ['*', 'demo/chat'].map((model) => ({
  key: '*',
  model,
  requests_per_minute: 5,
  tokens_per_minute: null,
}));

/** What has the focus, by the name that is read out; `BODY` where it is lost. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    'document.activeElement === document.body ? "BODY" : document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText',
  );

async function press(button: Locator): Promise<void> {
  await button.focus();
  await button.press('Enter');
}

describe.skipIf(isSkipped)(`rows that go in place${isSkipped ? `, skipped: ${skipped}` : ''}`, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi();
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  /** Removes these one after the other by the keyboard; tells where the focus was each time. */
  async function removeAll(page: Page, names: readonly string[]): Promise<readonly string[]> {
    const places: string[] = [];
    for (const name of names) {
      await press(page.getByRole('button', { name, exact: true }));
      places.push((await focused(page)).trim());
    }
    return places;
  }

  test('leave the focus of rules that choose the model to the next, the last, and then to what adds one', async () => {
    const { page } = await ui.open('#/settings?section=rules');
    const rules = page.getByRole('group', { name: 'Model rules' });
    const add = rules.getByRole('button', { name: 'Add a rule' });
    for (const name of ['a', 'b', 'c']) {
      await add.click();
      await rules.getByLabel('Name').fill(name);
    }
    expect(await removeAll(page, ['Remove b', 'Remove c', 'Remove a'])).toEqual(['Remove c', 'Remove a', 'Add a rule']);
  });

  test('leave the focus of a moved rule with it, up to the end of the list', async () => {
    const { page } = await ui.open('#/settings?section=rules');
    const rules = page.getByRole('group', { name: 'Model rules' });
    for (const name of ['a', 'b', 'c']) {
      await rules.getByRole('button', { name: 'Add a rule' }).click();
      await rules.getByLabel('Name').fill(name);
    }
    const order = async () =>
      (await rules.getByRole('button', { name: /^\d\. / }).allInnerTexts()).map((text) => text.slice(0, 4));
    await press(rules.getByRole('button', { name: 'Move c up' }));
    await page.keyboard.press('Enter');
    expect(await order()).toEqual(['1. c', '2. a', '3. b']);
    // At the end a further press does nothing, and the focus is still there.
    await page.keyboard.press('Enter');
    expect([await order(), await focused(page)]).toEqual([['1. c', '2. a', '3. b'], 'Move c up']);
  });

  test('leave the focus of preferred providers to what adds one', async () => {
    const { page } = await ui.open('#/settings?section=routing');
    const add = page.getByLabel('Add a preferred provider');
    const [provider = ''] = await add
      .locator('option')
      .evaluateAll((options) =>
        options.map((option) => (option as { value?: string }).value ?? '').filter((value) => value !== ''),
      );
    await add.selectOption(provider);
    await press(page.getByRole('button', { name: /from the preferred providers$/ }));
    expect(await focused(page)).toBe('Add a preferred provider');
  });

  test('leave the focus of rules of a destination to the next group, and then to what adds one', async () => {
    const config = { url: 'https://hooks.example/T0' };
    const made = await ui.call('/api/v1/observability/destinations', {
      body: { type: 'webhook', name: 'Warehouse', config },
    });
    const { data } = (await made.json()) as { data: { id: string } };
    const { page } = await ui.open(`#/destinations?open=${data.id}&tab=what`);
    await page.getByRole('button', { name: 'Rule', exact: true }).click();
    await page.getByRole('button', { name: 'Rule in this group' }).click();
    await page.getByRole('button', { name: 'Add group' }).click();
    const names = ['Remove group 1, rule 2', 'Remove group 1, rule 1', 'Remove group 1, rule 1'];
    expect(await removeAll(page, names)).toEqual(['Remove group 2, rule 1', 'Remove group 1, rule 1', 'Rule']);
  });

  test('leave the focus of recipients of an alarm to what adds one', async () => {
    const { page } = await ui.open('#/settings?section=alarms');
    await page.getByRole('button', { name: 'New alarm' }).click();
    await page.getByRole('button', { name: 'Add recipient' }).click();
    const names = ['Remove recipient 2', 'Remove recipient 1'];
    expect(await removeAll(page, names)).toEqual(['Remove recipient 1', 'Add recipient']);
  });

  test('leave the focus of patterns of a guardrail to what adds one', async () => {
    const made = await ui.call('/api/v1/guardrails', { body: { name: 'Codes' } });
    const { data } = (await made.json()) as { data: { id: string } };
    const { page } = await ui.open(`#/guardrails?open=${data.id}`);
    await page.getByRole('tab', { name: 'Content' }).click();
    const add = page.getByRole('button', { name: 'Pattern', exact: true });
    await add.click();
    await add.click();
    expect(await removeAll(page, ['Remove pattern 2', 'Remove pattern 1'])).toEqual(['Remove pattern 1', 'Pattern']);
  });

  test('leave the focus of tools of the playground, and of their parameters, to what adds one', async () => {
    const { page } = await ui.open('#/playground?models=demo/chat');
    await page.getByRole('button', { name: 'Tools' }).click();
    const add = page.getByRole('button', { name: 'Add a tool' });
    await add.click();
    await add.click();
    const second = page.getByRole('group', { name: 'Tool 2' });
    await second.getByRole('button', { name: 'Add a row to parameters' }).click();
    await press(second.getByRole('button', { name: 'Remove row 1' }));
    expect(await focused(page)).toBe('Add a row to parameters');
    expect(await removeAll(page, ['Remove tool 2', 'Remove tool 1'])).toEqual(['Remove tool 1', 'Add a tool']);
  });

  test('leave the focus of stored limits to the next menu, and then to what adds one', async () => {
    await fetch(`${ui.url}/admin/v1/rate-limits`, {
      method: 'PUT',
      headers: { authorization: 'Bearer sk-gw-v1-demo-management', 'content-type': 'application/json' },
      body: JSON.stringify({ data: RATE_LIMITS }),
    });
    const { page } = await ui.open('#/settings?section=account');
    const limits = page.getByRole('region', { name: 'Rate limits' });
    const menus = limits.getByRole('button', { name: /^Actions for / });
    await menus.nth(1).waitFor();
    for (const left of [1, 0]) {
      await press(menus.nth(0));
      await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
      await expect.poll(() => menus.count()).toBe(left);
      await expect.poll(() => focused(page)).toMatch(left === 1 ? /^Actions for / : /^Add rate limit$/);
    }
  });
});
