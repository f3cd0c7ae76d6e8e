import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { examine } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const MANAGEMENT_KEY = 'sk-management-of-the-rules';
const isSkipped = skipped !== undefined;
const why = isSkipped ? `, skipped: ${skipped}` : '';

const configOf = (sections: object): object => ({
  auth: { bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }] },
  ...sections,
  providers: [{ slug: 'own', wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-own' }],
  models: ['own/asked', 'own/large', 'own/small'].map((id) => ({
    id,
    endpoints: [{ provider: 'own', providerModel: id }],
  })),
});

interface Explained {
  readonly data: { readonly models: readonly string[]; readonly routing_rule?: string };
}

async function explain(ui: Ui, more: object): Promise<Explained['data']> {
  const body = { model: 'own/asked', messages: [{ role: 'user', content: 'Hello' }], ...more };
  return ((await (await ui.call('/admin/v1/explain', { body })).json()) as Explained).data;
}

describe.skipIf(isSkipped)(`rules that choose the model${why}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi({ managementKey: MANAGEMENT_KEY, config: configOf({}) });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('are added, ordered and refused by form, and hold at once', async () => {
    const opened = await ui.open('#/settings?section=rules');
    const { page } = opened;
    const rules = page.getByRole('group', { name: 'Model rules' });
    const add = rules.getByRole('button', { name: 'Add a rule' });
    await add.click();
    await rules.getByLabel('Name').fill('everything');
    await rules.getByLabel('Model', { exact: true }).fill('own/larg');
    await add.click();
    await rules.getByLabel('Name').fill('thinking');
    await rules.getByLabel('Model', { exact: true }).fill('own/small');
    await rules.getByLabel('Asks for reasoning').selectOption('Yes');
    await rules.getByLabel('Tools, at least').fill('2');
    await rules.getByLabel('Exempt keys').pressSequentially('prod, ci');
    await rules.getByRole('checkbox', { name: 'Chat completions' }).check();
    await rules.scrollIntoViewIfNeeded();
    expect(await examine(opened, 'rules-form')).toEqual([]);
    await rules.getByRole('button', { name: 'Move thinking up' }).click();

    const save = page.getByRole('button', { name: 'Save' }).first();
    await save.click();
    await rules.getByRole('button', { name: /^2\. everything/ }).click();
    await rules.locator('[aria-invalid=true]').waitFor();
    expect(opened.problems.splice(0)).toHaveLength(1);
    await rules.getByLabel('Model', { exact: true }).fill('own/large');
    await save.click();
    await page.getByText('Saved').first().waitFor();
    expect(await examine(opened, 'rules-list')).toEqual([]);

    const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }));
    expect(await explain(ui, {})).toMatchObject({ models: ['own/large'], routing_rule: 'everything' });
    expect(await explain(ui, { tools, reasoning: { effort: 'low' } })).toMatchObject({ routing_rule: 'thinking' });
    const settings = await (await ui.call('/admin/v1/settings')).json();
    expect(settings).toMatchObject({
      data: {
        routing: {
          rules: [
            {
              name: 'thinking',
              when: { thinking: true, min_tools: 2, except_keys: ['prod', 'ci'], formats: ['chat'] },
            },
            { name: 'everything', when: {}, model: 'own/large' },
          ],
        },
      },
    });
    expect(opened.problems).toEqual([]);
  });
});

describe.skipIf(isSkipped)(`rules of the configuration${why}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    const rules = [{ name: 'long', when: { minPromptTokens: 1000 }, model: 'own/large' }];
    ui = await launchUi({ managementKey: MANAGEMENT_KEY, config: configOf({ routing: { rules } }) });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('are shown as such, and cannot be changed', async () => {
    const opened = await ui.open('#/settings?section=rules');
    const rules = opened.page.getByRole('group', { name: 'Model rules' });
    await rules.getByText('Set in the configuration file').waitFor();
    await rules.getByRole('button', { name: /^1\. long.*at least 1,000 tokens/ }).click();
    expect(await rules.getByLabel('Name').isDisabled()).toBe(true);
    expect(await rules.getByRole('button', { name: 'Add a rule' }).count()).toBe(0);
    expect(await examine(opened, 'rules-fixed')).toEqual([]);
    expect(opened.problems).toEqual([]);
  });
});
