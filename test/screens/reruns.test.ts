import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme, untilDrawn, WIDTH } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';

const API_KEY = 'sk-gw-v1-reruns-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
/** What is looked at: one pair that shows most, and all of them by night. */
const LOOKS = firstOrAll(
  { width: 480, theme: 'dark' },
  { width: 480, theme: 'light' },
  { width: 1440, theme: 'dark' },
  { width: 1440, theme: 'light' },
  { width: 2560, theme: 'dark' },
  { width: 2560, theme: 'light' },
) as readonly { readonly width: number; readonly theme: 'dark' | 'light' }[];
const CITIES = ['Bern', 'Lima', 'Oslo', 'Rome', 'Riga', 'Cairo'];

let ui: Ui;
let upstream: Server;
/** Calls of the slow model, which responds when a test lets it. */
const held: (() => void)[] = [];

/** Two models that say the same of a city, but for the last two, and a third that fails for Lima. */
async function startUpstream(): Promise<string> {
  upstream = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (data) => (body += String(data)));
    request.on('end', () => {
      const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] };
      const city = messages.at(-1)?.content ?? '';
      if (model === 'odd' && city === 'Lima') {
        const error = { message: 'The model does not know it', type: 'invalid_request_error' };
        return response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      }
      const content = toContent(model, city);
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
      const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
      const respond = () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ id: 'x', model, choices, usage }));
      return model === 'slow' ? held.push(respond) : respond();
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
}

const toContent = (model: string, city: string): string =>
  JSON.stringify({
    city,
    known_for: 'A river, some hills, a good many bridges and one old market',
    weather: model === 'small' && CITIES.indexOf(city) > 3 ? 'windy' : 'mild',
  });

/** Calls the large model once for each city. Resolves to the ids of the generations. */
async function seed(): Promise<string[]> {
  const ids: string[] = [];
  for (const content of CITIES) {
    const body = { model: 'acme/large', max_tokens: 400, messages: [{ role: 'user', content }] };
    const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
    await response.text();
    ids.push(response.headers.get('x-generation-id') ?? '');
  }
  return ids;
}

const open = (hash: string, options: Parameters<Ui['open']>[1] = {}) =>
  ui.open(hash, { managementKey: MANAGEMENT_KEY, ...options });
const formOf = (page: Page) => page.getByRole('dialog', { name: 'New rerun' });

async function chooseModels(page: Page, ...models: readonly string[]): Promise<void> {
  const field = formOf(page).getByRole('combobox', { name: 'Models' });
  for (const model of models) {
    await field.fill(model);
    await field.press('Enter');
  }
}

/** A rerun of all calls, made over HTTP. */
async function createRerun(body: object): Promise<string> {
  const response = await ui.call('/admin/v1/reruns', {
    key: MANAGEMENT_KEY,
    body: { set: { filter: { model: 'acme/large' } }, max_cost_usd: 1, ...body },
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: { id: string } }).data.id;
}

/** What is wrong with what is shown, a line each; a picture of each width and theme is kept. */
async function look(opened: UiPage, name: string): Promise<string[]> {
  const { page, check, screenshot } = opened;
  const found: string[] = [];
  for (const { width, theme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await untilDrawn(page);
    const shown = await page.evaluate<number>(WIDTH);
    if (shown > width) found.push(`${name} is ${shown} pixels wide where there are ${width}`);
    await setTheme(opened, theme);
    await screenshot(`reruns-${name}-${width}-${theme}`);
    found.push(...(await check({ ofColours: theme === 'light' })));
  }
  await page.setViewportSize({ width: 1360, height: 850 });
  return found;
}

describe.skipIf(skipped !== undefined)(
  `reruns${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    let ids: string[];
    beforeAll(async () => {
      const baseUrl = await startUpstream();
      const toModel = (name: string, usd: number, providers = ['here']) => ({
        id: `acme/${name}`,
        endpoints: providers.map((provider) => ({
          provider,
          providerModel: name,
          max_completion_tokens: 1000,
          pricing: { prompt: (usd / 1e6).toFixed(9), completion: ((usd * 5) / 1e6).toFixed(9) },
        })),
      });
      const config = {
        auth: {
          bootstrapKeys: [
            { key: API_KEY, kind: 'api', name: 'dev' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'Mo' },
          ],
        },
        providers: [
          { slug: 'here', name: 'Here', wire: 'openai', baseUrl },
          { slug: 'there', name: 'There', wire: 'openai', baseUrl },
        ],
        models: [
          toModel('large', 3),
          toModel('small', 0.25, ['here', 'there']),
          toModel('odd', 0.5),
          toModel('slow', 1),
        ],
      };
      ui = await launchUi({ config, managementKey: MANAGEMENT_KEY });
      ids = await seed();
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      upstream?.close();
    });

    test('are made by clicks, judged by code and by a person, and exported', async () => {
      const opened = await open('#/reruns');
      const { page, problems } = opened;
      await page.getByText('No reruns yet').waitFor();
      expect(await look(opened, 'empty')).toEqual([]);
      await page.getByRole('main').getByRole('button', { name: 'New rerun' }).last().click();
      const form = formOf(page);
      await form.getByRole('textbox', { name: 'Filter' }).fill('model:acme/large');
      await chooseModels(page, 'acme/small', 'acme/odd');
      await form.getByRole('checkbox', { name: /^Same JSON/ }).check();
      await form.getByRole('spinbutton', { name: 'Cost limit (USD)' }).fill('1');
      await form.getByRole('textbox', { name: 'Name (optional)' }).fill('Cheaper cities');
      // What it may cost is seen before it costs anything.
      expect(await form.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
      await form.getByRole('button', { name: 'Estimate' }).click();
      const estimate = form.getByRole('region', { name: 'Estimate' });
      await estimate.getByText('6 requests').waitFor();
      // 6 × (1,000 × $0.25 + 200 × $1.25) a million.
      await estimate.getByRole('row', { name: /^acme\/small \$0\.00300/ }).waitFor();
      expect(await look(opened, 'form')).toEqual([]);
      await form.getByRole('button', { name: 'Start' }).click();

      await page.getByRole('heading', { level: 1, name: 'Cheaper cities' }).waitFor();
      await page.getByText('Done', { exact: true }).first().waitFor();
      const results = page.getByRole('region', { name: 'Results' });
      const small = results.getByRole('row', { name: /^acme\/small/ });
      await small.getByText(/^4 · 66\.7/).waitFor();
      await small.getByText(/^2 · 33\.3/).waitFor();
      await small.getByText('$0.00300').waitFor();
      await page.getByText('The model does not know it').first().waitFor();
      const table = page.getByRole('grid', { name: 'Responses' });
      await table.getByRole('row').nth(1).waitFor();
      expect(await look(opened, 'page')).toEqual([]);

      // The newest call comes first: that of Cairo, where the small model says something else.
      await table.getByRole('row').nth(1).click();
      const pair = page.getByRole('dialog', { name: 'Response 1, acme/small' });
      await pair.getByRole('insertion').filter({ hasText: 'windy' }).waitFor();
      expect(await pair.getByRole('link', { name: 'Open the generation' }).count()).toBe(2);
      await pair.getByRole('radio', { name: 'Better' }).click();
      await pair.getByText('by Mo').waitFor();
      await pair.getByText('Prompt Cairo').waitFor();
      const note = pair.getByRole('textbox', { name: 'Note (optional)' });
      await note.fill('The wind is what was asked for');
      await note.press('Enter');
      const personOf = async (): Promise<unknown> => {
        const path = `/admin/v1/reruns/${page.url().split('/').at(-1)?.split('?')[0]}/items?limit=1`;
        const { data } = (await (await ui.call(path, { key: MANAGEMENT_KEY })).json()) as {
          data: [{ person: unknown }];
        };
        return data[0].person;
      };
      await expect.poll(personOf).toEqual({ verdict: 'win', note: 'The wind is what was asked for', by: 'Mo' });
      expect(await look(opened, 'pair')).toEqual([]);
      // A note that is left while a verdict is still being saved is saved after it.
      let release = (): void => undefined;
      let isSaved = new Promise<void>((resolve) => (release = resolve));
      await page.route(/\/items\/[^/?]+$/, async (route) => {
        await isSaved;
        await route.continue();
      });
      await pair.getByRole('radio', { name: 'Worse' }).click();
      await note.fill('It was calm');
      await note.press('Tab');
      release();
      await expect.poll(personOf).toEqual({ verdict: 'loss', note: 'It was calm', by: 'Mo' });
      // A verdict that is chosen meanwhile takes the note with it, and no earlier one comes after it.
      isSaved = new Promise((resolve) => (release = resolve));
      const sent: unknown[] = [];
      page.on('request', (request) => request.method() === 'PUT' && sent.push(request.postDataJSON()));
      await pair.getByRole('radio', { name: 'Better' }).click();
      await note.fill('It was windy');
      await note.press('Tab');
      await pair.getByRole('radio', { name: 'Same' }).click();
      await note.fill('It was windy there');
      await note.press('Tab');
      release();
      await expect.poll(personOf).toEqual({ verdict: 'tie', note: 'It was windy there', by: 'Mo' });
      await pair.getByRole('radio', { name: 'Better' }).click();
      await expect.poll(personOf).toEqual({ verdict: 'win', note: 'It was windy there', by: 'Mo' });
      expect(sent).toEqual([
        { verdict: 'win', note: 'It was calm' },
        { verdict: 'tie', note: 'It was windy' },
        { verdict: 'tie', note: 'It was windy there' },
        { verdict: 'win', note: 'It was windy there' },
      ]);
      // One goes on from pair to pair; what is said of one is no longer said when it is taken back.
      await pair.getByRole('button', { name: 'Next' }).click();
      const second = page.getByRole('dialog', { name: 'Response 1, acme/odd' });
      await second.getByRole('radio', { name: 'Worse' }).click();
      await second.getByText('by Mo').waitFor();
      await second.getByRole('radio', { name: 'None' }).click();
      await second.getByText('by Mo').waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await second.waitFor({ state: 'detached' });
      await small
        .getByText(/^1 · 16\.7/)
        .first()
        .waitFor();

      await page.getByRole('button', { name: 'Export' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'CSV' }).click();
      const lines = readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\n');
      expect(lines).toHaveLength(1 + 12);
      expect(lines[1]).toMatch(/^00000-0,0,acme\/small,done,,win,gen-/);

      await page.getByRole('link', { name: 'Reruns' }).last().click();
      await page.getByRole('grid', { name: 'Reruns' }).getByText('12 of 12').waitFor();
      expect(await look(opened, 'list')).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('pause, go on with a higher limit, and are cancelled and deleted after a question', async () => {
      // 400 × $5 a million and the prompt: the worst case of a second call does not fit beside what the first has cost.
      const id = await createRerun({ targets: [{ model: 'acme/slow' }], max_cost_usd: 0.003, concurrency: 1 });
      const { page, problems } = await open(`#/reruns/${id}`);
      await expect.poll(() => held.length).toBe(1);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Running', { exact: true }).first().waitFor();
      held.shift()?.();
      // The gateway stops it before the next call, and says why.
      await page.getByText('Paused', { exact: true }).waitFor();
      await page
        .getByRole('status')
        .getByText(/^The next call may cost up to/)
        .waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resume this rerun?' });
      await dialog.getByRole('spinbutton', { name: 'Cost limit (USD)' }).fill('0.5');
      await dialog.getByRole('button', { name: 'Resume' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(/of \$0\.500/).waitFor();
      await expect.poll(() => held.length).toBe(1);
      await page.getByRole('button', { name: 'Cancel rerun' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel rerun' }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      held.shift()?.();
      await page.getByText('2 of 6').waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: 'Reruns' }).waitFor();
      expect((await ui.call(`/admin/v1/reruns/${id}`, { key: MANAGEMENT_KEY })).status).toBe(404);
      expect(problems).toEqual([]);
    });

    test('are looked at again every five seconds, while one is running alone', async () => {
      const { page, go, problems } = await open('#/reruns', { hasClock: true });
      let asked = 0;
      page.on('request', (request) => {
        if (request.url().includes('/admin/v1/reruns')) asked += 1;
      });
      const main = page.getByRole('main');
      await main.getByRole('button', { name: 'New rerun' }).first().waitFor();
      await page.clock.runFor(30_000);
      expect(asked).toBe(0);
      const id = await createRerun({ targets: [{ model: 'acme/slow' }], concurrency: 1 });
      await expect.poll(() => held.length).toBe(1);
      await go('#/reruns');
      await main.getByText('Running', { exact: true }).waitFor();
      asked = 0;
      await page.clock.runFor(4000);
      expect(asked).toBe(0);
      await page.clock.runFor(2000);
      await expect.poll(() => asked).toBe(1);
      await ui.call(`/admin/v1/reruns/${id}/cancel`, { key: MANAGEMENT_KEY, body: {} });
      held.shift()?.();
      await page.clock.runFor(6000);
      await main.getByText('Cancelled', { exact: true }).waitFor();
      asked = 0;
      await page.clock.runFor(30_000);
      expect(asked).toBe(0);
      expect(problems).toEqual([]);
    });

    test('begin with the filters of the list of generations, or with one request', async () => {
      const { page, problems, go } = await open('#/generations?model=acme/large&status=ok&range=24h&sort=cost');
      await page.getByRole('button', { name: 'Actions', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Rerun these…' }).click();
      const form = formOf(page);
      expect(await form.getByRole('textbox', { name: 'Filter' }).inputValue()).toBe('model:acme/large status:ok');
      expect(await form.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('24h');
      await go(`#/generations?open=${ids[0]}`);
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Rerun…' }).click();
      await form.getByText(ids[0] ?? '').waitFor();
      await chooseModels(page, 'acme/small');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByRole('region', { name: 'Estimate' }).getByText('1 request', { exact: true }).waitFor();
      await form.getByRole('spinbutton', { name: 'Cost limit (USD)' }).fill('1');
      await form.getByRole('button', { name: 'Start' }).click();
      await page.getByRole('heading', { level: 1, name: '1 request' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('take the requests of a file, compare the providers of a model, and run as a key', async () => {
      const made = await ui.call('/api/v1/keys', { key: MANAGEMENT_KEY, body: { name: 'Payer' } });
      const { hash } = ((await made.json()) as { data: { hash: string } }).data;
      const opened = await open('#/reruns?new=1');
      const { page, problems } = opened;
      const form = formOf(page);
      const lines = ['Bern', 'Lima'].map((content) =>
        JSON.stringify({ request: { body: { max_tokens: 400, messages: [{ role: 'user', content }] } } }),
      );
      const upload = (text: string): Promise<void> =>
        form
          .getByLabel('Upload requests')
          .first()
          .setInputFiles({ name: 'cities.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) });
      await upload(`${lines.join('\n')}\n{`);
      await form.getByText('3 requests of cities.ndjson').waitFor();
      await chooseModels(page, 'acme/small');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByText('line 3 is not JSON').first().waitFor();
      await form.getByRole('button', { name: 'Choose by filter instead' }).click();
      await upload(lines.join('\n'));
      await form.getByText('Choose providers').click();
      const providers = form.getByRole('combobox', { name: 'Providers of acme/small' });
      for (const provider of ['here', 'there']) {
        await providers.fill(provider);
        await providers.press('Enter');
      }
      await form.getByRole('combobox', { name: 'Run as' }).selectOption('Payer');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByRole('region', { name: 'Estimate' }).getByText('2 requests').waitFor();
      expect(await look(opened, 'targets')).toEqual([]);
      await form.getByRole('spinbutton', { name: 'Cost limit (USD)' }).fill('1');
      await form.getByRole('button', { name: 'Start' }).click();
      await page.getByText('runs as Payer').waitFor();
      await page.getByText('4 of 4').first().waitFor();
      const list = await ui.call(`/admin/v1/generations?key=${hash}`, { key: MANAGEMENT_KEY });
      const { data } = (await list.json()) as { data: { provider_name: string }[] };
      expect(data.map((each) => each.provider_name).toSorted()).toEqual(['Here', 'Here', 'There', 'There']);
      // The file that was refused.
      expect(problems).toEqual([expect.stringContaining('400 (Bad Request) /admin/v1/reruns/estimate')]);
    });

    test('take the chats of a folder of fixtures', async () => {
      const { page, problems } = await open('#/reruns?new=1');
      const form = formOf(page);
      const folder = fileURLToPath(new URL('../../fixtures/openai', import.meta.url));
      await form.getByLabel('Upload fixtures').first().setInputFiles(folder);
      await form.getByText(/^\d+ requests of openai$/).waitFor();
      await chooseModels(page, 'acme/small');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form
        .getByRole('region', { name: 'Estimate' })
        .getByText(/^\d+ requests/)
        .waitFor();
      expect(problems).toEqual([]);
    });

    test('say in the form what keeps them from being estimated, and keep what was entered', async () => {
      const { page } = await open('#/reruns?new=1');
      const form = formOf(page);
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByText('Choose at least one model').waitFor();
      await chooseModels(page, 'acme/small');
      await form.getByRole('textbox', { name: 'Filter' }).fill('model:acme/large mountains');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByText(/^Only conditions work here/).waitFor();
      await form.getByRole('textbox', { name: 'Filter' }).fill('model:acme/none');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByText('no call matches it').first().waitFor();
      await form.getByRole('textbox', { name: 'Filter' }).fill('');
      await form.getByText('Change the requests').click();
      await form.getByRole('textbox', { name: 'Parameters (JSON)' }).fill('{"temperature":');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByText('Enter a JSON object').waitFor();
      await form.getByRole('textbox', { name: 'Parameters (JSON)' }).fill('{"temperature":0}');
      await form.getByRole('button', { name: 'Estimate' }).click();
      await form.getByRole('region', { name: 'Estimate' }).waitFor();
      await form.getByRole('button', { name: 'Start' }).click();
      await form.getByText('Enter an amount above 0').waitFor();
      // An estimate is of what is entered, so a change takes it away.
      await form.getByRole('textbox', { name: 'Parameters (JSON)' }).fill('');
      await form.getByRole('region', { name: 'Estimate' }).waitFor({ state: 'detached' });
      expect(await form.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
    });
  },
);
