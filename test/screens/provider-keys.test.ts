import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { examine } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const SETUP = '/admin/v1/setup';
const KEYS = { a: 'sk-of-team-a-1111', b: 'sk-of-team-b-2222', later: 'sk-of-team-b-3333' };

const COMPLETION = {
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
};
/** As Cohere answers. */
const COHERE = {
  message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
  finish_reason: 'COMPLETE',
  usage: { billed_units: { input_tokens: 3, output_tokens: 1 }, tokens: { input_tokens: 3, output_tokens: 1 } },
};

/** A server that knows these keys, and notes which one each call came with. */
async function startUpstream(known: readonly string[]) {
  const asked: string[] = [];
  const { baseUrl } = await startRawUpstream(({ head, socket }) => {
    const key = /authorization: bearer (\S+)/i.exec(head)?.[1] ?? '';
    const isList = head.startsWith('GET');
    if (!isList) asked.push(key);
    if (!known.includes(key)) socket.end(toRawResponse(401, { error: { message: 'Incorrect API key' } }));
    else if (isList) socket.end(toRawResponse(200, { data: [{ id: 'small-1' }] }));
    else socket.end(toRawResponse(200, head.includes('/v2/chat') || head.includes('/cohere/') ? COHERE : COMPLETION));
  });
  return { baseUrl, asked };
}

const read = async (ui: Ui, slug: string): Promise<{ readonly settings: { readonly apiKeys?: object[] } }> => {
  const { data } = (await (await ui.call(`${SETUP}/providers`)).json()) as {
    data: { slug: string; settings: object }[];
  };
  return data.find((one) => one.slug === slug) as { slug: string; settings: object };
};

async function save(page: Page, form: Locator, name: string): Promise<void> {
  await form
    .getByRole('button', { name: /^Save|^Test and save/ })
    .first()
    .click();
  await page
    .getByText(new RegExp(`^${name} (added|saved)`))
    .last()
    .waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).last().click();
}

const isSkipped = skipped !== undefined;
const why = isSkipped ? `, skipped: ${skipped}` : '';

describe.skipIf(isSkipped)(`keys and packages of a provider${why}`, { timeout: 120_000 }, () => {
  let ui: Ui;
  let apiKey = '';
  beforeAll(async () => {
    const prepareData = async (folder: string): Promise<void> => {
      mkdirSync(join(folder, 'node_modules', '@ai-sdk'), { recursive: true });
      symlinkSync(join(MODULES, '@ai-sdk', 'cohere'), join(folder, 'node_modules', '@ai-sdk', 'cohere'));
      await Promise.resolve();
    };
    ui = await launchUi({ isEmpty: true, config: { account: { byok: { feeShare: 0.25 } } }, prepareData });
    ({ key: apiKey } = (await (await ui.call('/api/v1/keys', { body: { name: 'app' } })).json()) as { key: string });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  const chat = (model: string, session: string) =>
    ui.call('/api/v1/chat/completions', {
      key: apiKey,
      body: { model, session_id: session, messages: [{ role: 'user', content: 'Hi' }] },
    });

  test('keys are added with their limits, disabled, replaced and removed in the form', async () => {
    const { baseUrl, asked } = await startUpstream([KEYS.a, KEYS.later]);
    const opened = await ui.open('#/providers');
    const { page } = opened;
    await page.getByRole('button', { name: 'Add a provider' }).first().click();
    await page.getByRole('button', { name: /^Another server/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(baseUrl);
    await dialog.getByText('More', { exact: true }).click();
    await dialog.getByLabel('Slug').fill('pooled');
    await dialog.getByText('Advanced', { exact: true }).click();
    for (const [place, name, key] of [
      [1, 'team-a', KEYS.a],
      [2, 'team-b', KEYS.b],
    ] as const) {
      await dialog.getByRole('button', { name: 'Add a key' }).click();
      await dialog.getByLabel(`Name of key ${place}`).fill(name);
      await dialog.getByLabel(`Key ${place}`, { exact: true }).fill(key);
    }
    await dialog.getByLabel('Weight of key 1').fill('2');
    await dialog.getByLabel('Requests/min of key 2').fill('500');
    await dialog.getByLabel('At once of key 2').fill('20');
    expect(await examine(opened, 'provider-keys-add')).toEqual([]);
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByRole('group', { name: 'Models' }).waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText(/^pooled (added|saved)/)
      .first()
      .waitFor();
    expect((await read(ui, 'pooled')).settings.apiKeys).toEqual([
      { name: 'team-a', key: '…1111', weight: 2 },
      { name: 'team-b', key: '…2222', requestsPerMinute: 500, callsUnderWay: 20 },
    ]);

    // The second is refused, and its requests are served with the first.
    for (let session = 0; session < 12; session += 1) {
      expect((await chat('pooled/small-1', `session ${session}`)).status).toBe(200);
    }
    expect(asked.filter((key) => key === KEYS.b)).toHaveLength(1);
    await opened.go('#/providers/pooled');
    await page.getByText('Disabled: the provider refused it (HTTP 401)').first().waitFor();
    expect(await examine(opened, 'provider-keys-panel')).toEqual([]);

    // It is replaced, and is well again at once; the first is disabled by hand.
    const panel = page.getByRole('main');
    await panel.getByText('Advanced', { exact: true }).click();
    await panel.getByLabel('Key 2', { exact: true }).fill(KEYS.later);
    await panel.getByLabel('Disable key 1').check();
    await save(page, panel, 'pooled');
    expect((await read(ui, 'pooled')).settings.apiKeys).toMatchObject([
      { name: 'team-a', key: '…1111', disabled: true },
      { name: 'team-b', key: '…3333', requestsPerMinute: 500 },
    ]);
    asked.splice(0);
    for (let session = 0; session < 4; session += 1) await chat('pooled/small-1', `session ${session}`);
    expect(asked).toEqual(Array.from({ length: 4 }, () => KEYS.later));
    await panel.getByText('Disabled', { exact: true }).waitFor();

    await panel.getByRole('button', { name: 'Remove key 1' }).click();
    await save(page, panel, 'pooled');
    expect((await read(ui, 'pooled')).settings.apiKeys).toMatchObject([{ name: 'team-b', key: '…3333' }]);

    // A request says which key served it, and no page has shown any of them.
    const id = (await chat('pooled/small-1', 'last')).headers.get('x-generation-id');
    await opened.go(`#/generations/${id}`);
    await page.getByText('via pooled, key team-b').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('list', { name: 'Attempts' }).getByText('key team-b').waitFor();
    expect(await examine(opened, 'generation-key')).toEqual([]);
    for (const key of Object.values(KEYS)) expect(await page.content()).not.toContain(key);
    expect(opened.problems).toEqual([]);
  });

  test('what is typed while a provider is being saved stays typed, and what was saved is shown as saved', async () => {
    const body = { slug: 'typed', name: 'Before', wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1' };
    expect((await ui.call(`${SETUP}/providers`, { body })).ok).toBe(true);
    const { page, problems } = await ui.open('#/providers/typed');
    const form = page.getByRole('main');
    const name = form.getByLabel('Name', { exact: true });
    await form.getByText('More', { exact: true }).click();
    let release: () => void = () => undefined;
    const isTyped = new Promise<void>((resolve) => (release = resolve));
    await page.route(/setup\/providers\/typed$/, async (route) => {
      if (route.request().method() === 'PATCH') await isTyped;
      await route.continue();
    });
    await name.fill('Sent');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await sent;
    await name.fill('Typed meanwhile');
    release();
    await page.getByText('Sent saved', { exact: true }).waitFor();
    expect(await name.inputValue()).toBe('Typed meanwhile');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Typed meanwhile saved', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('limits on requests at once are added, counted and changed in the settings', async () => {
    const opened = await ui.open('#/settings?section=account');
    const { page } = opened;
    const section = page.getByRole('region', { name: 'Requests at once' });
    await section.getByText('No limits.').waitFor();
    await section.getByRole('button', { name: 'Add limit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key').selectOption({ label: 'Each key' });
    await dialog.getByLabel('Requests at once').fill('2');
    await dialog.getByLabel('Requests that may wait').fill('5');
    expect(await examine(opened, 'call-limit-form')).toEqual([]);
    await dialog.getByRole('button', { name: 'Add limit' }).click();
    await section.getByText('At most 2 requests at once, 5 may wait up to 30 s').waitFor();
    await section.getByText('0 running, 0 waiting').waitFor();
    // It lies above the limits.
    await page.getByRole('button', { name: 'Dismiss' }).last().click();
    expect(await examine(opened, 'call-limits')).toEqual([]);
    await section.getByRole('button', { name: 'Actions for Each key' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('Requests at once').fill('3');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await section.getByText('At most 3 requests at once').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).last().click();
    const { data } = (await (await ui.call('/admin/v1/call-limits')).json()) as { data: object[] };
    expect(data).toMatchObject([{ key: '*', model: null, provider: null, calls_under_way: 3, source: 'stored' }]);
    await section.getByRole('button', { name: 'Actions for Each key' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await section.getByText('No limits.').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('a provider is called by a package of the AI SDK that is chosen in the form', async () => {
    const { baseUrl, asked } = await startUpstream([KEYS.a]);
    const opened = await ui.open('#/providers');
    const { page } = opened;
    await page.getByRole('button', { name: 'Add a provider' }).first().click();
    await page.getByRole('button', { name: /^Another server/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('More', { exact: true }).click();
    await dialog.getByLabel('Format').selectOption('package');
    await dialog.getByLabel('Slug').fill('packed');
    await dialog.getByLabel('Address').fill(`${baseUrl}/cohere`);
    await dialog.getByLabel('Package').fill('express');
    await dialog.getByLabel('Key', { exact: true }).fill(KEYS.a);
    await dialog.getByText('Advanced', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Add an option' }).click();
    await dialog.getByLabel('Name of option 1').fill('region');
    await dialog.getByLabel('Value of option 1').fill('eu');
    expect(await examine(opened, 'provider-package')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save without testing' }).click();
    await dialog.getByText('npm install express').first().waitFor();
    opened.problems.splice(0);
    await dialog.getByLabel('Package').fill('@ai-sdk/cohere');
    await dialog.getByRole('button', { name: 'Save without testing' }).click();
    await page
      .getByText(/^packed (added|saved)/)
      .first()
      .waitFor();
    expect(await read(ui, 'packed')).toMatchObject({
      address: '@ai-sdk/cohere',
      settings: { package: '@ai-sdk/cohere', options: { region: 'eu' } },
    });
    const endpoints = [{ provider: 'packed', providerModel: 'command-a' }];
    await ui.call(`${SETUP}/models`, { body: { id: 'acme/packed', endpoints } });
    const answer = await chat('acme/packed', 'one');
    expect(await answer.text()).toContain('"content":"Hello"');
    expect(asked).toEqual([KEYS.a]);
    await opened.go('#/providers?open=packed');
    expect(await examine(opened, 'provider-package-panel')).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  test('a workspace brings its own key: added, rotated, disabled and deleted, and its bill adds up', async () => {
    const own = { first: 'sk-own-1111', rotated: 'sk-own-2222' };
    const { baseUrl, asked } = await startUpstream([KEYS.a, own.first, own.rotated]);
    const pricing = { prompt: '0.001', completion: '0.002' };
    await ui.call(`${SETUP}/providers`, {
      body: { slug: 'byo', name: 'Byo', wire: 'openai', baseUrl, apiKey: KEYS.a },
    });
    await ui.call(`${SETUP}/models`, {
      body: { id: 'byo/small', endpoints: [{ provider: 'byo', providerModel: 'small-1', pricing }] },
    });
    const opened = await ui.open(`#/settings?section=workspaces&workspace=00000000-0000-4000-8000-000000000000`);
    const { page } = opened;
    const section = page.getByRole('region', { name: 'Provider keys' });
    await section.getByText('No provider keys yet.').waitFor();
    await section.getByRole('button', { name: 'Add key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Provider', { exact: true }).selectOption('byo');
    await dialog.getByLabel('Key', { exact: true }).fill('   ');
    await dialog.getByLabel('Name').fill('Team A');
    await dialog.getByRole('button', { name: 'Add key' }).click();
    await dialog.getByText('must not be blank').first().waitFor();
    // The refused key, which the test asked for.
    opened.problems.splice(0);
    expect(await examine(opened, 'own-key-form')).toEqual([]);
    await dialog.getByLabel('Key', { exact: true }).fill(own.first);
    await dialog.getByRole('button', { name: 'Add key' }).click();
    await section.getByText('Team A').waitFor();
    expect((await chat('byo/small', 'own')).status).toBe(200);

    const choose = async (item: string) => {
      await section.getByRole('button', { name: 'Actions for Team A' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Edit or rotate…');
    expect(await dialog.getByLabel('New key').inputValue()).toBe('');
    await dialog.getByLabel('New key').fill(own.rotated);
    await dialog.getByRole('combobox', { name: 'Models' }).fill('byo/small');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await section.getByText(/1 model · all keys/).waitFor();
    const response = await chat('byo/small', 'own');
    const { id } = (await response.json()) as { id: string };
    await choose('Disable');
    await section.getByText('Disabled').waitFor();
    await chat('byo/small', 'own');
    expect(asked.slice(-3)).toEqual([own.first, own.rotated, KEYS.a]);
    await choose('Delete…');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await section.getByText('No provider keys yet.').waitFor();

    await opened.go(`#/generations/${id}?tab=usage`);
    const cost = page.getByRole('table', { name: 'Cost by kind' });
    await cost.getByText('Paid with the caller’s own key').waitFor();
    const readAmounts = async (): Promise<number[]> => {
      const amounts = await cost.locator('tr td:last-child').allInnerTexts();
      return amounts.map((text) => Number(text.replace('−', '-').replaceAll(/[^\d.-]/g, '')));
    };
    // Prompt and completion, once the prices are loaded, then what they come to, that it is paid, and the fee, all that is left.
    await expect.poll(readAmounts).toEqual([0.003, 0.006, 0.009, -0.009, 0.00225, 0.00225]);
    await cost.getByText('Fee for the use of the caller’s own key').waitFor();
  });
});
