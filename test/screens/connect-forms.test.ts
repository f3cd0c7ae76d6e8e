import { createServer, type Server } from 'node:http';

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { examine } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { storeProviders } from '../support/gateways/store-provider.ts';
import { startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

const KEY = 'sk-upstream-key-that-nobody-may-see-4711';
const MANAGEMENT_KEY = 'sk-management-of-the-forms';
const SETUP = '/admin/v1/setup';

/** A model server that takes one key, lists two models, and tells what it was asked. */
async function startUpstream() {
  const heads: string[] = [];
  const { baseUrl } = await startRawUpstream(({ head, socket }) => {
    heads.push(head.toLowerCase());
    const isRight = head.toLowerCase().includes(`bearer ${KEY}`);
    socket.end(
      isRight
        ? toRawResponse(200, { data: [{ id: 'small-1' }, { id: 'large-1' }] })
        : toRawResponse(401, { error: { message: 'Incorrect API key' } }),
    );
  });
  return { baseUrl, heads };
}

async function dataOf<Data>(ui: Ui, path: string, key?: string): Promise<Data> {
  const response = await ui.call(path, key === undefined ? {} : { key });
  return ((await response.json()) as { readonly data: Data }).data;
}

interface StoredProvider {
  readonly slug: string;
  readonly status: string;
  readonly has_key: boolean;
  readonly header_names: readonly string[];
  readonly settings: object;
}

/** Chooses a server of one's own in the dialog for a new provider. */
async function chooseOwn(page: Page, address: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add a provider' }).first().click();
  await page.getByRole('button', { name: /^Another server/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(address);
  return dialog;
}

const isSkipped = skipped !== undefined;
const why = isSkipped ? `, skipped: ${skipped}` : '';

describe.skipIf(isSkipped)(`forms of what is set up${why}`, { timeout: 120_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi({ isEmpty: true });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('the layers of a test come one by one, and it can be stopped', async () => {
    const { baseUrl } = await startRawUpstream(() => undefined);
    const opened = await ui.open('#/providers');
    const { page } = opened;
    const dialog = await chooseOwn(page, baseUrl);
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    const found = dialog.getByRole('region', { name: 'Test results' });
    // The server is silent, so that all before its response is there, and the key is what is waited for.
    await found.getByText('Connection (TCP)').waitFor();
    await found.getByText('Key…').waitFor();
    expect(await examine(opened, 'connect-running')).toEqual([]);
    await found.getByRole('button', { name: 'Stop test' }).click();
    await found.getByText('Stopped.').waitFor();
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await found.getByText('Key…').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('an address where nothing listens is told in words', async () => {
    const { page } = await ui.open('#/providers');
    const dialog = await chooseOwn(page, 'http://127.0.0.1:1/v1');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByText('Nothing is listening there: start the server, or correct the port in baseUrl.').waitFor();
  });

  test('everything that the configuration has for a provider is set up, changed and taken back', async () => {
    const { baseUrl, heads } = await startUpstream();
    const opened = await ui.open('#/providers');
    const { page } = opened;
    const dialog = await chooseOwn(page, baseUrl);
    await dialog.getByLabel('Key', { exact: true }).fill(KEY);
    await dialog.getByText('More', { exact: true }).click();
    await dialog.getByLabel('Slug').fill('whole');
    await dialog.getByText('Advanced', { exact: true }).click();
    await dialog.getByRole('checkbox', { name: /^Use the provider’s standard terms/ }).uncheck();
    await dialog.getByLabel('Trains on prompts').selectOption('no');
    await dialog.getByRole('checkbox', { name: /BYOK/ }).check();
    await dialog.getByLabel('Responses API').selectOption('yes');
    await dialog.getByLabel('Batch API').selectOption('yes');
    await dialog.getByLabel('Batch price in %').fill('12.5');
    await dialog.getByRole('button', { name: 'Add a header' }).click();
    await dialog.getByLabel('Name of header 1').fill('X-Team');
    await dialog.getByLabel('Value of header 1').fill('blue\u0000team');
    await dialog.getByRole('button', { name: 'Add a parameter' }).click();
    await dialog.getByLabel('Name of parameter 1').fill('api-version');
    await dialog.getByLabel('Value of parameter 1').fill('7');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    // The field that is wrong is named.
    await dialog.getByRole('alert').getByText('X-Team: must be one line of Latin characters').first().waitFor();
    expect(opened.problems.splice(0)).toHaveLength(1);
    await dialog.getByLabel('Value of header 1').press('Control+A');
    await page.keyboard.type('blue-team');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByRole('group', { name: 'Models' }).waitFor();
    expect(heads.at(-1)).toContain('get /v1/models?api-version=7');
    expect(heads.at(-1)).toContain('x-team: blue-team');
    expect(await examine(opened, 'connect-advanced')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText(/^whole (added|saved)/)
      .first()
      .waitFor();
    const read = async () =>
      (await dataOf<StoredProvider[]>(ui, `${SETUP}/providers`)).find(({ slug }) => slug === 'whole');
    expect(await read()).toMatchObject({
      header_names: ['X-Team'],
      settings: {
        query: { 'api-version': '7' },
        byok: true,
        responses: true,
        batches: true,
        batchPriceShare: 0.125,
        dataPolicy: { training: false, retainsPrompts: null },
      },
    });

    await opened.go('#/providers?open=whole');
    const panel = page.getByRole('region', { name: 'Provider whole' });
    await panel.getByText('Advanced', { exact: true }).click();
    expect(await panel.getByLabel('Value of header 1').getAttribute('placeholder')).toBe('saved value');
    await panel.getByLabel('Responses API').selectOption('no');
    expect(await panel.getByLabel('Batch price in %').inputValue()).toBe('12.5');
    await panel.getByLabel('Batch price in %').fill('');
    await panel.getByLabel('Batch API').selectOption('no');
    await panel.getByRole('button', { name: 'Remove header 1' }).click();
    await panel.getByRole('checkbox', { name: /^Remove key/ }).check();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/^whole (added|saved)/)
      .first()
      .waitFor();
    expect(await read()).toMatchObject({ header_names: [], has_key: false });
    const { settings = {} } = (await read()) ?? {};
    expect(settings).toMatchObject({ batches: false });
    expect(Object.keys(settings)).not.toEqual(expect.arrayContaining(['responses']));
    expect(Object.keys(settings)).not.toEqual(expect.arrayContaining(['batchPriceShare']));
    expect(await page.content()).not.toContain('blue-team');
    expect(opened.problems).toEqual([]);
  });

  test('the form leads to the page where a key is made', async () => {
    const { page } = await ui.open('#/providers');
    await page.getByRole('button', { name: 'Add a provider' }).first().click();
    await page.getByRole('button', { name: /^OpenAI / }).click();
    const link = page.getByRole('link', { name: /^Create a key at OpenAI/ });
    expect(await link.getAttribute('href')).toBe('https://platform.openai.com/api-keys');
    expect(await link.getAttribute('target')).toBe('_blank');
  });

  test('a model takes all prices, also those of a known one, and its limits', async () => {
    const { baseUrl } = await startUpstream();
    await ui.call(`${SETUP}/providers`, { body: { slug: 'priced', wire: 'openai', baseUrl, apiKey: KEY } });
    const pricing = { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003', web_search: '0.01' };
    const known = { id: 'own/known', endpoints: [{ provider: 'priced', providerModel: 'large-1', pricing }] };
    expect((await ui.call(`${SETUP}/models`, { body: known })).status).toBe(201);
    const opened = await ui.open('#/models');
    const { page } = opened;
    await page.getByRole('button', { name: 'Add a model' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('ID', { exact: true }).fill('own/copied');
    await dialog.getByRole('group', { name: 'Input' }).getByRole('checkbox', { name: 'image' }).check();
    await dialog.getByLabel('Provider', { exact: true }).selectOption('priced');
    await dialog.getByLabel('Provider’s model name').fill('small-1');
    await dialog.getByLabel('Copy prices from a known model').fill('own/known');
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.getByText('(2 set)').waitFor();
    await dialog.getByText('More prices').click();
    expect(await dialog.getByLabel('Cache read, USD per million tokens').inputValue()).toBe('0.3');
    await dialog.getByLabel('Request, USD each').fill('0.002');
    await dialog.getByText('Limits and capabilities').click();
    await dialog.getByLabel('Max output').fill('4096');
    await dialog.getByLabel('Parameters').fill('tools, seed');
    expect(await examine(opened, 'connect-model-whole')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Model own/copied' }).waitFor();
    const models = await dataOf<{ id: string; definition: object }[]>(ui, `${SETUP}/models`);
    expect(models.find(({ id }) => id === 'own/copied')?.definition).toEqual({
      id: 'own/copied',
      architecture: { input_modalities: ['image'] },
      endpoints: [
        {
          provider: 'priced',
          providerModel: 'small-1',
          pricing: { ...pricing, request: '0.002' },
          max_completion_tokens: 4096,
          supported_parameters: ['tools', 'seed'],
        },
      ],
    });
    expect(opened.problems).toEqual([]);
  });

  test('the key of the playground names the models that its limit refuses, and what to do', async () => {
    const { baseUrl } = await startUpstream();
    await ui.call(`${SETUP}/providers`, { body: { slug: 'mixed', wire: 'openai', baseUrl, apiKey: KEY } });
    const endpoints = [{ provider: 'mixed', providerModel: 'small-1' }];
    await ui.call(`${SETUP}/models`, { body: { id: 'own/unpriced', endpoints } });
    const pricing = { prompt: '0.000003', completion: '0.000015' };
    const priced = { id: 'own/with-price', endpoints: [{ ...endpoints[0], pricing }] };
    await ui.call(`${SETUP}/models`, { body: priced });
    const opened = await ui.open('#/playground');
    const { page } = opened;
    await page.getByText('No known price for').waitFor();
    expect(await page.getByRole('link', { name: /^Set .* prices?$/ }).getAttribute('href')).toContain('own%2Funpriced');
    expect(await examine(opened, 'connect-unpriced')).toEqual([]);
    await page.getByRole('button', { name: 'Create without a limit, for all models' }).click();
    await page.getByText('No known price for').waitFor({ state: 'detached' });
    const keys = await dataOf<{ name: string; limit: number | null }[]>(ui, '/api/v1/keys');
    expect(keys.find(({ name }) => name === 'Playground')?.limit).toBeNull();
  });

  test('routing defaults are edited in one place, and hold at once', async () => {
    const { baseUrl } = await startUpstream();
    for (const slug of ['first', 'second']) {
      await ui.call(`${SETUP}/providers`, { body: { slug, wire: 'openai', baseUrl, apiKey: KEY } });
    }
    const endpoints = ['first', 'second'].map((provider, at) => ({
      provider,
      providerModel: 'small-1',
      pricing: { prompt: `0.00000${at + 1}`, completion: `0.00000${at + 1}` },
    }));
    await ui.call(`${SETUP}/models`, { body: { id: 'own/routed', endpoints } });
    const opened = await ui.open('#/settings?section=routing');
    const { page } = opened;
    const add = page.getByLabel('Add a preferred provider');
    await add.selectOption('first');
    await add.selectOption('second');
    await page.getByRole('button', { name: 'Move second up' }).click();
    await page.getByRole('checkbox', { name: /^Fall back to the next endpoint/ }).uncheck();
    await page.getByRole('group', { name: 'Routing' }).getByLabel('Input').fill('dear');
    const save = page.getByRole('button', { name: 'Save' }).first();
    await save.click();
    await page.locator('[aria-invalid=true]').waitFor();
    expect(opened.problems.splice(0)).toHaveLength(1);
    await page.getByRole('group', { name: 'Routing' }).getByLabel('Input').fill('5');
    expect(await examine(opened, 'connect-routing')).toEqual([]);
    await save.click();
    await page.getByText('Saved').first().waitFor();
    const body = { model: 'own/routed', messages: [{ role: 'user', content: 'Hello' }] };
    const explained = await ui.call('/admin/v1/explain', { body });
    const { data } = (await explained.json()) as { data: { endpoints: { provider: string; included: boolean }[] } };
    expect(data.endpoints.filter(({ included }) => included).map(({ provider }) => provider)).toEqual([
      'second',
      'first',
    ]);
    expect(opened.problems).toEqual([]);
  });
});

const LOCAL_SERVERS = [
  ['Ollama', 11_434],
  ['LM Studio', 1234],
  ['llama.cpp', 8080],
  ['vLLM', 8000],
] as const;

/** A model server at a usual port; undefined where something else has it. */
async function startLocalServer(port: number): Promise<Server | undefined> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: `local-${port}` }] }));
  });
  const isMine = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  return isMine ? server : undefined;
}

describe.skipIf(isSkipped)(`what is there already${why}`, { timeout: 120_000 }, () => {
  let ui: Ui;
  let baseUrl = '';
  let upstream: Server;
  beforeAll(async () => {
    upstream = createServer((_request, response) => response.end('{"data":[]}'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const address = upstream.address();
    baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
    const provider = { wire: 'openai', baseUrl, apiKey: KEY };
    ui = await launchUi({
      managementKey: MANAGEMENT_KEY,
      config: {
        auth: { bootstrapKeys: [{ key: MANAGEMENT_KEY, kind: 'management', name: 'admin' }] },
        account: { defaultModel: 'own/fixed', providers: { ignore: [] } },
        routing: { order: ['fixed'] },
        providers: [{ ...provider, slug: 'fixed', headers: { 'X-Team': 'secret-of-a-header' } }],
        models: [{ id: 'own/fixed', endpoints: [{ provider: 'fixed', providerModel: 'm' }] }],
        rateLimits: [{ key: '*', model: 'own/fixed', requestsPerMinute: 60 }],
      },
      prepareData: (dir) =>
        storeProviders(dir, [
          { slug: 'fixed', baseUrl, apiKey: KEY },
          { slug: 'locked', baseUrl, apiKey: KEY, sealedWith: Buffer.alloc(32, 9).toString('hex') },
        ]),
    });
  }, 60_000);
  afterAll(async () => {
    upstream?.close();
    await ui?.close();
  }, 60_000);

  test('a provider of the configuration is marked and read-only, and the stored one that it shadows can be deleted', async () => {
    const opened = await ui.open('#/providers?open=fixed');
    const { page } = opened;
    const panel = page.getByRole('region', { name: 'Provider fixed' });
    await panel.getByText('from the configuration file').first().waitFor();
    await panel.getByText('X-Team', { exact: true }).waitFor();
    await panel.getByText('The configuration has a provider with this slug, which takes precedence.').waitFor();
    expect(await page.content()).not.toContain('secret-of-a-header');
    expect(await examine(opened, 'connect-shadowed')).toEqual([]);
    await panel.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete provider' }).click();
    await panel.getByRole('alert').waitFor({ state: 'detached' });
    const left = await dataOf<StoredProvider[]>(ui, `${SETUP}/providers`);
    expect(left.map(({ slug, status }) => `${slug} ${status}`)).toEqual(['fixed ready', 'locked locked']);
  });

  test('a key that cannot be opened is told, and entering it again is the cure', async () => {
    const opened = await ui.open('#/providers?open=locked');
    const { page } = opened;
    const panel = page.getByRole('region', { name: 'Provider locked' });
    await panel.getByRole('alert').getByText('Its key cannot be opened').waitFor();
    expect(await examine(opened, 'connect-locked')).toEqual([]);
    await panel.getByLabel('Key', { exact: true }).fill(KEY);
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('locked saved').first().waitFor();
    await panel.getByRole('alert').waitFor({ state: 'detached' });
    expect(opened.problems).toEqual([]);
  });

  test('settings and rate limits of the configuration are shown as such, and cannot be changed', async () => {
    const opened = await ui.open('#/settings?section=account');
    const { page } = opened;
    expect(await page.getByLabel('Default model').isDisabled()).toBe(true);
    await page.getByRole('row', { name: /^Each key own\/fixed 60/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Actions for 60 requests/ }).count()).toBe(0);
    expect(await examine(opened, 'connect-configured')).toEqual([]);
    await page.getByRole('link', { name: 'Routing' }).click();
    await page.getByRole('list', { name: 'Preferred providers' }).waitFor();
    expect(await page.getByRole('button', { name: 'Move fixed up' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('checkbox', { name: /^Zero data retention only/ }).check();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved').first().waitFor();
    await opened.go('#/models?open=own%2Ffixed');
    await page.getByText('60 requests per minute for each key, for own/fixed').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('model servers of this machine are found at their usual ports, and set up without typing', async () => {
    const started: string[] = [];
    for (const [name, port] of LOCAL_SERVERS) {
      const server = await startLocalServer(port);
      if (server === undefined) continue;
      started.push(name);
      onTestFinished(() => void server.close());
    }
    // Where other programs have the ports, there is nothing to find.
    const [first] = started;
    if (first === undefined) return;
    const opened = await ui.open('#/providers');
    const { page } = opened;
    await page.getByRole('button', { name: 'Add a provider' }).first().click();
    for (const name of started) {
      await page
        .getByRole('button', { name: new RegExp(`^${name.replace('.', '\\.')} .*found on this machine`) })
        .waitFor();
    }
    expect(await examine(opened, 'connect-found')).toEqual([]);
    await page.getByRole('button', { name: new RegExp(`^${first} .*found on this machine`) }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Test', exact: true }).click();
    await dialog.getByText('1 model, and new ones').waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${first} added`).first().waitFor();
    const models = await dataOf<{ id: string }[]>(ui, '/api/v1/models');
    expect(models.some(({ id }) => id.includes('/local-'))).toBe(true);
  });
});
