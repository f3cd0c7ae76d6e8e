import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DEFAULT_SETTINGS } from '@model-gateway/ui/desktop-bridge';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme, WIDTH } from '../e2e/examine.ts';
import { FIND_UNFIT } from '../e2e/find-unfit.ts';
import { API_KEY, launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { fillProviderHistory } from '../support/stores/fill-provider-history.ts';

const IS_FULL = process.env['TEST_FULL'] === '1';
const KEY = 'sk-gw-v1-looks-management';
const WIDTHS = [2560, 1440, 900, 480];

/** Nobody listens there: what is shown is what was recorded before the start. */
const CONFIG = {
  auth: { bootstrapKeys: [{ key: KEY, kind: 'management', name: 'admin' }] },
  providers: ['acme', 'beta', 'gamma', 'delta'].map((slug) => ({
    slug,
    name: slug[0]?.toUpperCase() + slug.slice(1),
    preset: 'openai',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'planted',
  })),
  models: ['acme', 'beta', 'gamma', 'delta'].map((provider) => ({
    id: `${provider}/chat`,
    endpoints: [{ provider, providerModel: 'chat', pricing: { prompt: '0.0000025', completion: '0.00001' } }],
  })),
};

/** A desktop app around the page: what it reports, and nothing that it does. */
const DESKTOP = `
  const done = async () => ({ done: true, message: '' });
  const info = {
    version: '0.1.0', platform: 'linux', dataDir: '/home/ada/.config/Model Gateway',
    state: { phase: 'listening', url: 'http://127.0.0.1:8855', port: 8855, isDemo: false },
    settings: ${JSON.stringify({ ...DEFAULT_SETTINGS, shareOnNetwork: true, shortcut: 'Control+Alt+G' })},
    language: 'en', secretStorage: 'keyring', providerKeys: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
    networkUrls: ['http://192.168.1.20:8855'],
  };
  const latest = ['ok', 'failed', 'ok', 'cancelled', 'ok'].map((status, at) => ({
    id: 'gen-' + at, at: Date.now() - at * 400_000, model: at === 1 ? 'anthropic/claude-sonnet-4.5' : 'acme/chat',
    status, costUsd: at === 3 ? null : 0.000093 * 12 ** at,
  }));
  const panel = {
    language: 'en', stateText: 'Listening at port 8855', phase: 'listening', baseUrl: 'http://127.0.0.1:8855/api/v1',
    mode: 'live', isDemo: false, obstacles: { live: null, replay: null, record: null }, openCalls: 2,
    today: { requests: 1234, costUsd: 12.345 }, latest,
  };
  globalThis.desktop = new Proxy({}, { get: (_, name) =>
    name === 'info' ? async () => info : name === 'panel' ? async () => panel : name === 'onChange' ? () => () => {} : done });
`;

type Place = 'demo' | 'config' | 'empty' | 'fixtures';

/** A state of a screen: where it is, and what brings it about. */
interface Scene {
  readonly name: string;
  readonly at: Place;
  readonly hash: string;
  readonly act?: (page: Page) => Promise<void>;
  /** A problem of the page that belongs to the state. */
  readonly hasProblems?: boolean;
  readonly isDesktop?: boolean;
}

const ids = { guardrail: '', destination: '', job: '', miss: '' };

const click = (role: 'button' | 'tab' | 'menuitem', name: string | RegExp) => async (page: Page) => {
  await page.getByRole(role, { name }).first().click();
};
const inTurn =
  (...acts: readonly ((page: Page) => Promise<void>)[]) =>
  async (page: Page) => {
    for (const act of acts) await act(page);
  };
/** The gateway fails at what the screen asks for. */
const fail = (path: string) => async (page: Page) => {
  const error = { code: 500, message: 'The store could not be read.' };
  await page.route(`**${path}`, (route) => route.fulfill({ status: 500, json: { error } }));
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
};
const openTab = (name: string) => click('tab', name);
const chooseProvider = (name: RegExp) => inTurn(click('button', 'Add a provider'), click('button', name));

const SCENES: readonly Scene[] = [
  { name: 'models', at: 'demo', hash: 'models' },
  { name: 'models-none', at: 'demo', hash: 'models?q=nothing-has-this-name' },
  { name: 'models-empty', at: 'empty', hash: 'models' },
  { name: 'models-panel', at: 'demo', hash: 'models?open=demo/chat' },
  ...['Endpoints', 'Availability', 'Usage', 'Code'].map((tab): Scene => ({
    name: `models-panel-${tab.toLowerCase().replaceAll(/\W+/g, '-')}`,
    at: 'demo',
    hash: 'models?open=demo/chat',
    act: openTab(tab),
  })),
  { name: 'models-filters', at: 'demo', hash: 'models', act: click('button', 'Filters') },
  {
    name: 'models-compare',
    at: 'demo',
    hash: 'models?compare=demo/chat,demo/reasoner',
    act: click('button', 'Compare 2'),
  },
  { name: 'models-failed', at: 'demo', hash: 'models', act: fail('/api/v1/models*'), hasProblems: true },
  { name: 'models-page', at: 'demo', hash: 'models/demo/chat' },
  { name: 'models-add', at: 'empty', hash: 'models', act: click('button', 'Add a model') },
  { name: 'providers', at: 'config', hash: 'providers' },
  { name: 'providers-none', at: 'config', hash: 'providers?q=nothing-has-this-name' },
  { name: 'providers-failed', at: 'config', hash: 'providers', act: fail('/admin/v1/providers'), hasProblems: true },
  { name: 'providers-empty', at: 'empty', hash: 'providers' },
  { name: 'providers-panel', at: 'config', hash: 'providers?open=beta' },
  {
    name: 'providers-test',
    at: 'config',
    hash: 'providers?open=gamma',
    act: inTurn(click('button', /^Test/), (page) =>
      page
        .getByText(/Nothing is listening/)
        .first()
        .waitFor(),
    ),
  },
  { name: 'providers-page', at: 'config', hash: 'providers/beta' },
  { name: 'providers-add', at: 'empty', hash: 'providers', act: click('button', 'Add a provider') },
  { name: 'providers-form', at: 'empty', hash: 'providers', act: chooseProvider(/^OpenAI /) },
  { name: 'providers-form-own', at: 'empty', hash: 'providers', act: chooseProvider(/^Another server/) },
  { name: 'guardrails', at: 'demo', hash: 'guardrails' },
  { name: 'guardrails-empty', at: 'empty', hash: 'guardrails' },
  { name: 'guardrails-new', at: 'demo', hash: 'guardrails', act: click('button', 'New guardrail') },
  ...['Access', 'Content', 'Assigned to', 'Hits', 'Test'].map((tab): Scene => ({
    name: `guardrails-panel-${tab.toLowerCase().replaceAll(' ', '-')}`,
    at: 'demo',
    hash: 'guardrails?open=GUARDRAIL',
    act: openTab(tab),
  })),
  { name: 'videos', at: 'demo', hash: 'videos' },
  { name: 'videos-empty', at: 'empty', hash: 'videos' },
  { name: 'videos-job', at: 'demo', hash: 'videos?open=JOB' },
  { name: 'videos-webhooks', at: 'demo', hash: 'videos?view=webhooks' },
  { name: 'videos-new', at: 'demo', hash: 'videos', act: click('button', 'New video') },
  { name: 'destinations', at: 'demo', hash: 'destinations' },
  { name: 'destinations-empty', at: 'empty', hash: 'destinations' },
  { name: 'destinations-panel', at: 'demo', hash: 'destinations?open=DESTINATION' },
  { name: 'destinations-log', at: 'demo', hash: 'destinations?open=DESTINATION', act: openTab('Delivery log') },
  { name: 'destinations-contents', at: 'demo', hash: 'destinations?open=DESTINATION', act: openTab('What is sent') },
  { name: 'destinations-new', at: 'demo', hash: 'destinations', act: click('button', /^(New|Add)/) },
  { name: 'fixtures', at: 'fixtures', hash: 'fixtures' },
  { name: 'fixtures-off', at: 'config', hash: 'fixtures' },
  { name: 'fixtures-case', at: 'fixtures', hash: 'fixtures?open=acme/chat-completions/synthetic-joke' },
  { name: 'fixtures-misses', at: 'fixtures', hash: 'fixtures?view=misses' },
  { name: 'fixtures-miss', at: 'fixtures', hash: 'fixtures?view=misses&open=MISS' },
  { name: 'settings', at: 'demo', hash: 'settings' },
  { name: 'settings-config', at: 'config', hash: 'settings' },
  { name: 'settings-desktop', at: 'demo', hash: 'settings', isDesktop: true },
  { name: 'quick-panel', at: 'demo', hash: 'panel', isDesktop: true },
];

/** States that look much like others: only with `TEST_FULL=1`, because each takes a second or two. */
const MORE =
  /-(?:none|failed|compare|code|my-usage|endpoints|can-i-use-it|form|test|dry-run|try-a-text|holds-for|reach|contents|log|webhooks|misses|off|config)$|^(?:guardrails|videos|destinations)-empty$/;

describe.skipIf(skipped !== undefined)(
  `looks of the screens of the set-up${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    const uis = new Map<Place, Ui>();
    let dir: string;

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), 'e2e-looks-'));
      writeFixture(dir);
      const [demo, config, empty, fixtures] = await Promise.all([
        launchUi(),
        launchUi({ config: CONFIG, managementKey: KEY, prepareData: (at) => fillProviderHistory(at, Date.now()) }),
        launchUi({ isEmpty: true }),
        launchUi({ fixtures: dir }),
      ]);
      uis.set('demo', demo).set('config', config).set('empty', empty).set('fixtures', fixtures);
      await fillDemo(demo);
      await say(fixtures, 'acme/one', 'Tell me two jokes');
      const { data } = (await (await fixtures.call('/admin/v1/fixtures/misses')).json()) as { data: { id: string }[] };
      ids.miss = data[0]?.id ?? '';
    }, 120_000);
    afterAll(async () => {
      await Promise.all([...uis.values()].map((ui) => ui.close()));
      rmSync(dir, { recursive: true, force: true });
    }, 60_000);

    test.each(SCENES.filter(({ name }, at) => IS_FULL || (!MORE.test(name) && at % 3 === 0)))(
      '$name fits and can be read at every width, in both themes',
      async (scene) => {
        const ui = uis.get(scene.at);
        if (ui === undefined) throw new Error(`${scene.at} has not started`);
        const hash = scene.hash
          .replace('GUARDRAIL', ids.guardrail)
          .replace('DESTINATION', ids.destination)
          .replace('JOB', ids.job)
          .replace('MISS', ids.miss);
        const opened = await ui.open(`#/${hash}`, {
          viewport: { width: 1440, height: 900 },
          reducedMotion: 'reduce',
          colorScheme: 'dark',
          ...(scene.at === 'config' && { managementKey: KEY }),
          ...(scene.isDesktop === true && { initScript: DESKTOP }),
        });
        const { page, problems, check, screenshot } = opened;
        await scene.act?.(page);
        const found: string[] = [];
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: width === 480 ? 850 : width === 2560 ? 1300 : 900 });
          for (const theme of IS_FULL || width === 480 ? (['light', 'dark'] as const) : (['dark'] as const)) {
            // A page may miss a change that comes while it is laid out again for another width: then it is told again.
            await expect
              .poll(async () => {
                await page.emulateMedia({ colorScheme: theme === 'dark' ? 'light' : 'dark' });
                await setTheme(opened, theme);
                return page.locator('html').getAttribute('data-theme');
              })
              .toBe(theme);
            await screenshot(`looks-${scene.name}-${width}-${theme}`);
            const unfit = await page.evaluate<string[]>(FIND_UNFIT);
            found.push(...unfit.map((text) => `${width} ${theme}: ${text}`));
            // Widths change no colours, and axe takes longer than all else.
            if (IS_FULL || width === 480) {
              const violations = await check({ ofColours: theme === 'light' });
              found.push(...violations.map((text) => `${width} ${theme}: ${text}`));
            }
          }
          // Charts follow the width a little later.
          await expect.poll(() => page.evaluate<number>(WIDTH), { timeout: 10_000 }).toBeLessThanOrEqual(width);
        }
        expect(found).toEqual([]);
        if (scene.hasProblems !== true) expect(problems).toEqual([]);
      },
    );
  },
);

async function say(ui: Ui, model: string, content: string, key = API_KEY): Promise<void> {
  const body = { model, messages: [{ role: 'user', content }] };
  await (await ui.call('/api/v1/chat/completions', { key, body })).arrayBuffer();
}

async function create(ui: Ui, path: string, body: object, key?: string): Promise<string> {
  const response = await ui.call(path, key === undefined ? { body } : { body, key });
  const made = (await response.json()) as { readonly id?: string; readonly data?: { readonly id?: string } };
  expect(response.ok, `${path}: ${JSON.stringify(made)}`).toBe(true);
  return made.data?.id ?? made.id ?? '';
}

interface MadeKey {
  readonly key: string;
  readonly data: { readonly hash: string };
}

/** What people have after a while: guardrails with hits, films, destinations of two kinds, and calls. */
async function fillDemo(ui: Ui): Promise<void> {
  const content_filter_builtins = [
    { slug: 'credit-card', action: 'block' },
    { slug: 'email', action: 'redact' },
  ];
  ids.guardrail = await create(ui, '/api/v1/guardrails', {
    name: 'Personal data',
    description: 'Nothing that says who somebody is leaves the house.',
    limit_usd: 1250,
    reset_interval: 'monthly',
    content_filter_builtins,
  });
  const made = (await (await ui.call('/api/v1/keys', { body: { name: 'Support desk' } })).json()) as MadeKey;
  await ui.call(`/api/v1/guardrails/${ids.guardrail}/assignments/keys`, { body: { key_hashes: [made.data.hash] } });
  await create(ui, '/api/v1/guardrails', { name: 'Only small models', allowed_models: ['demo/chat'] });
  for (const text of ['Hello!', 'mail jane@example.com', 'pay with 4111 1111 1111 1111'])
    await say(ui, 'demo/chat', text, made.key);
  const config = { url: 'https://hooks.example.com/traces', headers: { 'X-Token': 'a-secret-of-some-length' } };
  const destinations = '/api/v1/observability/destinations';
  ids.destination = await create(ui, destinations, { type: 'webhook', name: 'Traces', config });
  for (const prompt of ['a lighthouse in a storm, seen from the sea, at night', 'a cat that sleeps'])
    ids.job = await create(ui, '/api/v1/videos', { model: 'demo/video', prompt }, API_KEY);
}

/** A recorded exchange of a provider, which responds to one prompt. */
function writeFixture(dir: string): void {
  const folder = join(dir, 'acme', 'chat-completions', 'synthetic-joke');
  mkdirSync(folder, { recursive: true });
  const write = (file: string, value: object): void => writeFileSync(join(folder, file), JSON.stringify(value));
  write('request.json', { model: 'one', messages: [{ role: 'user', content: 'Tell me a joke' }] });
  const message = { role: 'assistant', content: 'A short one, then.' };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const choices = [{ index: 0, finish_reason: 'stop', message }];
  write('response.json', { id: 'x', object: 'chat.completion', created: 1, model: 'one', choices, usage });
  write('meta.json', { synthetic: true, date: '2026-11-21', model: 'one', status: 200, note: 'A joke.' });
}
