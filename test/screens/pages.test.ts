import { createHash } from 'node:crypto';

import type { Generation, GenerationContent } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';
import { toRecord } from '../support/stores/generation-records.ts';

let ui: Ui;
const MINUTE_MS = 60_000;
const CONFIGURED = createHash('sha256').update(API_KEY).digest('hex');
/** Odd enough to break an address that is put together by hand. */
const SESSION = 'agent/7 “a?b&c” 100%';
const HOSTILE = '<img src=x onerror=alert(1)>\u202Eabc';
const made = { key: '', guardrail: '' };

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

const toContent = (messages: readonly object[], completion: string): GenerationContent =>
  ({ input: { messages }, output: { completion, reasoning: null }, error: null }) as GenerationContent;

const HISTORY = [
  { role: 'system', content: 'You are a careful gardener.' },
  user('When do I plant garlic?'),
  assistant('In October.'),
  user('And how deep?'),
  assistant('Five centimetres.'),
  user('Thank you!'),
];
const COMPLETIONS = ['In October.', 'Five centimetres.', 'You are welcome.'];

/** Calls of the last day by the key of the demo, and a session of three calls with a small one between them. */
async function prepareData(dir: string): Promise<void> {
  const now = Date.now();
  const store = await createJsonFileStore({ dir });
  let count = 0;
  const add = async (minutesAgo: number, generation: Partial<Generation>, content: GenerationContent | null = null) => {
    count += 1;
    const record = toRecord(`gen-page-${String(count).padStart(4, '0')}`, {
      principalId: CONFIGURED,
      userId: 'ada',
      costNanoUsd: 20_000_000,
      generation: {
        created_at: new Date(now - minutesAgo * MINUTE_MS).toISOString(),
        model: count % 3 === 0 ? 'demo/reasoner' : 'demo/chat',
        provider_name: 'Demo',
        tokens_prompt: 300,
        tokens_completion: 90,
        total_cost: 0.02,
        usage: 0.02,
        latency: 300 + (count % 7) * 40,
        generation_time: 1500 + (count % 5) * 300,
        ...generation,
      },
    });
    await store.generations.append(record, content);
  };
  for (let index = 47; index > 0; index -= 1)
    await add(index * 30, index % 9 === 0 ? { finish_reason: 'error', tokens_completion: 0 } : {});
  await add(4 * 24 * 60, { model: 'demo/chat-old' });
  const turn = (index: number, minutesAgo: number) =>
    add(
      minutesAgo,
      { session_id: SESSION, model: 'demo/chat' },
      toContent(HISTORY.slice(0, 2 + index * 2), COMPLETIONS[index] ?? ''),
    );
  await turn(0, 12);
  await turn(1, 10);
  await add(
    9,
    { session_id: SESSION, model: 'demo/reasoner', finish_reason: 'error' },
    toContent([user('Name this conversation')], 'Garlic'),
  );
  await turn(2, 8);
  await add(5, { session_id: 'other' }, toContent([user('Hello')], 'Hi'));
  await add(
    4,
    { session_id: HOSTILE, model: '../../keys' },
    toContent([user(HOSTILE)], `${HOSTILE} [out](javascript:x)`),
  );
  await store.close();
}

const untilDrawn = (page: Page): Promise<void> => page.locator('.uplot').nth(3).waitFor();

const filtersOf = (page: Page): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));

async function change(path: string, method: string, body: object): Promise<void> {
  const response = await fetch(ui.url + path, {
    method,
    headers: { authorization: 'Bearer sk-gw-v1-demo-management', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

const dataOf = async (response: Response): Promise<{ id: string; hash: string }> =>
  ((await response.json()) as { data: { id: string; hash: string } }).data;

/** The page of each kind of resource, and the lists that lead there. */
const PAGES: readonly (readonly [name: string, hash: () => string, isCharted: boolean])[] = [
  ['key-configured', () => `#/keys/${CONFIGURED}`, true],
  ['key-made', () => `#/keys/${made.key}?range=7d`, false],
  ['member', () => '#/members/ada', true],
  ['provider', () => '#/providers/demo', true],
  ['model', () => '#/models/demo/chat', true],
  ['sessions', () => '#/generations/sessions', false],
  ['model-gone', () => '#/models/demo/chat-old', false],
  ['session', () => `#/generations/sessions/${encodeURIComponent(SESSION)}`, false],
  ['keys', () => '#/keys', false],
];

describe.skipIf(skipped !== undefined)(
  `Pages of keys, members, providers, models and sessions${skipped === undefined ? '' : ` (not here: ${skipped})`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi({ prepareData });
      await ui.call('/admin/v1/members', { body: { user_id: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' } });
      const key = await ui.call('/api/v1/keys', { body: { name: 'Ada’s tool', limit: 5, creator_user_id: 'ada' } });
      made.key = (await dataOf(key)).hash;
      const guardrail = await ui.call('/api/v1/guardrails', {
        body: { name: 'Only chat', allowed_models: ['demo/chat'] },
      });
      made.guardrail = (await dataOf(guardrail)).id;
      await ui.call(`/api/v1/guardrails/${made.guardrail}/assignments/keys`, { body: { key_hashes: [made.key] } });
    }, 60_000);
    afterAll(() => ui?.close());

    test('lead from the list of keys to a key of the configuration, which is read-only', async () => {
      const { page, problems } = await ui.open('#/keys');
      const row = page.getByRole('row', { name: /configuration/ }).filter({ hasText: '$1.0' });
      await row.first().waitFor();
      expect(await page.getByRole('row', { name: /owner of the data/ }).count()).toBe(0);
      expect(await row.getByRole('button', { name: /^Actions/ }).count()).toBe(0);
      await page.getByRole('grid', { name: 'Keys' }).focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByText('from the configuration').first().waitFor();
      await untilDrawn(page);
      expect(await page.getByRole('button', { name: 'Edit…' }).count()).toBe(0);
      expect(await page.content()).not.toContain(`${API_KEY}<`);
      await page.getByRole('region', { name: 'Limits and spending' }).getByText('$1.0').first().waitFor();
      // Its figures and its latest calls are those of this key.
      await page.getByText('vs previous 24 hours').waitFor();
      await page.getByRole('table', { name: 'Figures by model' }).getByRole('link', { name: 'demo/reasoner' }).click();
      await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
      expect(filtersOf(page)).toMatchObject({ key: CONFIGURED, model: 'demo/reasoner' });
      expect(problems).toEqual([]);
    });

    test('change when a key ends, and say what holds for it', async () => {
      const { page, problems } = await ui.open(`#/keys/${made.key}`);
      const rules = page.getByRole('region', { name: 'Policies' });
      await rules.getByRole('link', { name: 'Only chat' }).waitFor();
      await rules.getByText(/^1 of \d+/).click();
      await rules.getByRole('link', { name: 'demo/chat' }).waitFor();
      await rules.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
      await rules.getByText('never').waitFor();
      await page.getByRole('button', { name: 'Edit…' }).click();
      await page.getByLabel('Expires').fill('2020-01-01T10:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('expired', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Edit…' }).click();
      await page.getByLabel('Expires').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('expired', { exact: true }).waitFor({ state: 'detached' });
      await rules.getByRole('link', { name: 'Ada Lovelace' }).click();
      await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
      await page.getByRole('region', { name: 'Keys' }).getByRole('link', { name: 'Ada’s tool' }).waitFor();
      await untilDrawn(page);
      expect(problems).toEqual([]);
    });

    test('open by Enter on a row and from the panel, and go back by Escape', async () => {
      const { page, problems, go } = await ui.open('#/models?q=reasoner');
      await page.getByRole('grid', { name: 'Models' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /Reasoner/i }).waitFor();
      await page.getByRole('region', { name: 'Endpoints' }).getByText('Input').first().waitFor();
      await page
        .getByRole('region', { name: 'Availability' })
        .getByText(/Available: 1 of 1/)
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
      await go('#/providers?open=demo');
      await page.getByRole('link', { name: 'Open page' }).click();
      await page.getByRole('region', { name: 'Connection' }).getByText('Slug').waitFor();
      await untilDrawn(page);
      await page.getByRole('link', { name: 'View all', exact: true }).click();
      await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
      expect(filtersOf(page)).toEqual({ provider: 'Demo' });
      await page.getByRole('status').getByText('54 found').waitFor();
      expect(problems).toEqual([]);
    });

    test('keep the span and the split in the address, and lead from a chart to the calls of the series', async () => {
      const { page, problems } = await ui.open('#/models/demo/chat');
      await untilDrawn(page);
      await page.getByRole('table', { name: 'Figures by provider' }).waitFor();
      await page.getByLabel('Split by').selectOption('Key');
      await page.getByRole('table', { name: 'Figures by key' }).waitFor();
      await page.getByRole('radio', { name: '7 d' }).click();
      await expect.poll(() => filtersOf(page)).toEqual({ range: '7d', split: 'key' });
      await page.getByRole('button', { name: 'Table of Cost' }).click();
      await page.getByRole('region', { name: 'Cost, as a table' }).getByRole('button').first().click();
      await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
      expect(filtersOf(page)).toMatchObject({ model: 'demo/chat' });
      expect(problems).toEqual([]);
    });

    test.each([
      ['Ada’s tool', 'Ada’s tool'],
      ['ada@example', 'Ada Lovelace'],
      ['provider demo', 'Demo'],
      ['demo/reasoner', /Reasoner/i],
    ])('are found by name among the commands: %s', async (typed, heading) => {
      const { page, problems } = await ui.open('#/settings');
      await page.keyboard.press('Control+k');
      const search = page.getByRole('combobox', { name: 'Search and commands' });
      await search.fill(typed);
      const option = page.getByRole('dialog').getByRole('option').first();
      await expect.poll(async () => (await option.innerText()).toLowerCase()).toMatch(/ada|demo/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      expect(problems).toEqual([]);
    });

    test('list sessions with their first prompt and sums, under the filters of the calls', async () => {
      const { page, problems } = await ui.open('#/generations');
      await page.getByRole('main').getByRole('link', { name: 'Sessions' }).click();
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
      const rows = page.getByRole('grid', { name: 'Sessions' }).getByRole('row');
      await expect.poll(() => rows.count()).toBe(4);
      const row = await rows.filter({ hasText: 'When do I plant garlic?' }).innerText();
      expect(row).toMatch(/\n4\n[^]*\nchat \+1[^]*\n1\n\$0\.08/);
      await page.getByRole('combobox', { name: 'Filter generations' }).fill('status:failed');
      await page.keyboard.press('Enter');
      await expect.poll(() => rows.count()).toBe(2);
      await page.getByText('1 of 4').waitFor();
      await page.getByRole('link', { name: 'Requests' }).click();
      await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
      expect(filtersOf(page)).toEqual({ status: 'failed' });
      expect(problems).toEqual([]);
    });

    test('show a session as a thread, in which what was said before is folded', async () => {
      const { page, problems } = await ui.open('#/generations/sessions');
      await page.getByRole('row', { name: /garlic/ }).click();
      await page.getByRole('heading', { level: 1, name: 'When do I plant garlic?' }).waitFor();
      await page.getByRole('button', { name: /^agent\/7.* Copy ID$/ }).waitFor();
      const calls = page.getByRole('article', { name: /^Request \d$/ });
      await expect.poll(() => calls.count()).toBe(4);
      const [first, second, aside, last] = [calls.nth(0), calls.nth(1), calls.nth(2), calls.nth(3)];
      await first.getByText('You are a careful gardener.').waitFor();
      await second.getByText('3 messages as before').waitFor();
      await second.getByText('Five centimetres.').waitFor();
      expect(await second.getByText('When do I plant garlic?').count()).toBe(0);
      await aside.scrollIntoViewIfNeeded();
      await aside.getByText('Name this conversation').waitFor();
      // The small call between them has not cut the thread.
      await last.scrollIntoViewIfNeeded();
      await last.getByText('5 messages as before').click();
      await last.getByText('When do I plant garlic?').waitFor();
      const sums = page.getByRole('region', { name: 'Session figures' });
      await sums.getByText('4, 1 failed').waitFor();
      await sums.getByRole('link', { name: 'demo/reasoner' }).waitFor();
      await second.getByRole('link', { name: 'Open request 2' }).click();
      await page.getByRole('tab', { name: 'Timeline' }).waitFor();
      expect(filtersOf(page)).toEqual({ session: SESSION });
      await page.goBack();
      await calls.nth(3).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
      expect(problems).toEqual([]);
    });

    test('show what callers have written as text, with what hides in it', async () => {
      const { page, problems } = await ui.open('#/generations/sessions');
      await page
        .getByRole('row', { name: /img src/ })
        .getByText('‹U+202E›')
        .first()
        .waitFor();
      await page.getByRole('row', { name: /img src/ }).click();
      const call = page.getByRole('article', { name: 'Request 1' });
      await call.getByText('<img src=x onerror=alert(1)>‹U+202E›abc').first().waitFor();
      expect(await page.locator('main article img, main article a[href^="javascript"]').count()).toBe(0);
      await call.getByRole('link', { name: '../../keys' }).click();
      await page.getByText('Model not found').waitFor();
      expect(problems).toEqual([]);
    });

    test('say so where the resource does not exist, and lead to its calls', async () => {
      const { page, go } = await ui.open('#/keys/0123456789abcdef');
      await page.getByText('Key not found').waitFor();
      for (const id of ['alone', 'no/such', 'no/such/model']) {
        await go(`#/models/${id}`);
        await page.getByRole('heading', { level: 1, name: id, exact: true }).waitFor();
      }
      await page.getByText('Model not found').waitFor();
      await go('#/providers/nobody');
      await page.getByText('Provider not found').waitFor();
      await go('#/members/nobody');
      await page.getByText('Member not found').waitFor();
      await go('#/generations/sessions/nothing');
      await page.getByText('Session not found').waitFor();
    });

    test('tell of a model that is gone what its requests do, and which models are like it', async () => {
      const { page, problems } = await ui.open('#/models/demo/chat-old');
      await page.getByText('Model not found').waitFor();
      const known = page.getByRole('region', { name: 'What its requests tell' });
      expect(await known.innerText()).toMatch(/Last request[^]+Requests\s+1\s+Spent\s+\$0\.020\s+Served by\s+Demo/);
      const next = page.getByRole('region', { name: 'What to do next' });
      await next.getByRole('link', { name: 'Providers' }).waitFor();
      await next.getByRole('list', { name: 'Models like it' }).getByRole('link').first().click();
      await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('show a change of a key that is made elsewhere', async () => {
      const { page } = await ui.open(`#/keys/${made.key}`);
      await page.getByText('expired', { exact: true }).waitFor({ state: 'detached' });
      await change(`/api/v1/keys/${made.key}`, 'PATCH', { disabled: true });
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByText('disabled', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByText('expired', { exact: true }).waitFor({ state: 'detached' });
    });

    test.each(firstOrAll(320, 480, 900, 1440))('fit and are readable %i pixels wide, in both themes', async (width) => {
      const opened: UiPage = await ui.open('#/', { viewport: { width, height: 900 }, reducedMotion: 'reduce' });
      const { page, problems, check, go, screenshot } = opened;
      for (const [name, hash, isCharted] of PAGES) {
        await go(hash());
        if (isCharted) await untilDrawn(page);
        for (const theme of ['dark', 'light'] as const) {
          await setTheme(opened, theme);
          if (isCharted) await untilDrawn(page);
          await screenshot(`pages-${name}-${width}-${theme}`);
          const beyond = await page.evaluate<number>(
            "document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth",
          );
          expect(beyond, name).toBeLessThanOrEqual(0);
          expect(await check(theme === 'dark' ? undefined : { ofColours: true }), `${name} ${theme}`).toEqual([]);
        }
      }
      expect(problems).toEqual([]);
    });

    test('say what the configuration says of a provider and a model, but for what is secret', async () => {
      const key = 'sk-admin-of-pages';
      const pricing = { prompt: '0.000001', completion: '0.000002' };
      const configured = await launchUi({
        managementKey: key,
        config: {
          providers: [
            // The port of nothing.
            {
              slug: 'acme',
              name: 'Acme, Inc.',
              wire: 'openai',
              baseUrl: 'http://127.0.0.1:9/v1',
              apiKey: 'sk-CANARY-1234',
            },
          ],
          models: [
            { id: 'acme/chat', aliases: ['fast'], endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing }] },
          ],
          auth: { bootstrapKeys: [{ key, kind: 'management', name: 'admin' }] },
        },
      });
      onTestFinished(() => configured.close());
      const { page, problems, check } = await configured.open('#/models/acme/chat', { managementKey: key });
      await page.getByRole('region', { name: 'About' }).getByText('fast', { exact: true }).waitFor();
      await page.getByRole('region', { name: 'Endpoints' }).getByRole('link', { name: 'Acme, Inc.' }).click();
      const setup = page.getByRole('region', { name: 'Settings' });
      await setup.getByText('http://127.0.0.1:9/v1').waitFor();
      expect((await setup.innerText()).split(/\n+/)).toEqual([
        'Settings',
        'from the configuration file',
        'Change this provider there, or in the environment.',
        'Address',
        'http://127.0.0.1:9/v1',
        'Key',
        'set, …1234',
        'Trains on prompts',
        'unknown',
        'Retains prompts',
        'unknown',
      ]);
      expect(await check()).toEqual([]);
      expect(await page.content()).not.toContain('CANARY');
      // A name with a comma stands for two in a filter.
      await page
        .getByText(/^No requests (yet )?in this span$/)
        .first()
        .waitFor();
      await page.getByRole('link', { name: 'View all', exact: true }).click();
      await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
      expect(filtersOf(page)).toEqual({ provider: 'acme' });
      expect(problems).toEqual([]);
    });
  },
);
