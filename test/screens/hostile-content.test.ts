import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { showControls } from '../../packages/ui/src/parts/text/show-controls.ts';
import { HOSTILE_CASES, HOSTILE_NAMES, type HostileCase } from '../e2e/hostile-cases.ts';
import { type Sighting, type Visit, WALK, type Walker } from '../e2e/hostile-walk.ts';
import { launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { type Echo, startEcho } from '../e2e/start-echo.ts';

const API_KEY = 'sk-gw-v1-hostile-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;

/** A fourth of every family does for a quick look. */
const isFull = process.env['TEST_FULL'] === '1';
const CASES = isFull
  ? HOSTILE_CASES
  : HOSTILE_CASES.filter(
      ({ family }, at) => HOSTILE_CASES.slice(0, at).filter((before) => before.family === family).length % 4 === 0,
    );
const AMOUNT = isFull ? '' : `, ${CASES.length} of ${HOSTILE_CASES.length} texts: all with TEST_FULL=1`;

let ui: Ui;
let echo: Echo;

/** A name of every family, in turn. */
const nameAt = (at: number): string => HOSTILE_NAMES[(at * 7) % HOSTILE_NAMES.length] ?? '';

const toConfig = () => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: nameAt(0) },
      { key: MANAGEMENT_KEY, kind: 'management', name: nameAt(1) },
    ],
  },
  webhooks: { allowPrivateNetwork: true },
  providers: Array.from({ length: 40 }, (_, at) => ({
    slug: `echo-${at}`,
    name: nameAt(at),
    wire: 'openai',
    baseUrl: `${echo.url}/v1`,
  })),
  models: [
    ...['echo', 'error'].map((name) => ({
      id: `acme/${name}`,
      endpoints: [{ provider: 'echo-0', providerModel: name }],
    })),
    {
      id: 'acme/film',
      architecture: { input_modalities: ['text'], output_modalities: ['video'] },
      endpoints: [{ provider: 'echo-0', providerModel: 'film' }],
    },
    ...HOSTILE_NAMES.map((name, at) => ({
      id: `acme/named-${at}`,
      name,
      description: name,
      endpoints: [{ provider: `echo-${at % 40}`, providerModel: name }],
    })),
  ],
});

/** Does something with every item and returns what came of it, in their order; eight at a time. */
async function forAll<Item, Outcome>(items: readonly Item[], act: (item: Item, at: number) => Promise<Outcome>) {
  const outcomes: Outcome[] = [];
  const left = items.map((item, at) => [item, at] as const).toReversed();
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) outcomes[next[1]] = await act(...next);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return outcomes;
}

/** Sends a text as a prompt; returns the id of what was recorded. */
async function send(model: string, content: string, at: number): Promise<string> {
  const body = { model, stream: at % 2 === 1, messages: [{ role: 'user', content }], user: content.slice(0, 120) };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.arrayBuffer();
  return response.headers.get('x-generation-id') ?? `none: ${response.status}`;
}

const toVisits = (cases: readonly HostileCase[], ids: readonly string[], isError = false): Visit[] =>
  cases.map(({ name, text }, at) => ({ name, id: ids[at] ?? '', shown: showControls(text), isError }));

const visitAll = ({ page }: UiPage, visits: readonly Visit[]): Promise<Sighting[]> =>
  page.evaluate((all) => (globalThis as unknown as Walker).visitAll(all), visits);

const lookThrough = ({ page }: UiPage, name: string): Promise<Sighting> =>
  page.evaluate((screen) => (globalThis as unknown as Walker).lookThrough(screen), name);

const toFaults = (sightings: readonly Sighting[]): string[] =>
  sightings.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`));

const LISTS = ['models', 'keys', 'guardrails', 'destinations', 'providers', 'videos', 'generations'];

/** Makes one of whatever can be given a name, with that name. */
async function makeNamed(name: string, at: number): Promise<void> {
  const url = `https://hooks.example.com/${encodeURIComponent(name)}`;
  const filter = { pattern: 'x', label: 'X', action: 'flag' };
  const film = { model: 'acme/film', prompt: name, callback_url: url };
  const responses = await Promise.all([
    ui.call('/api/v1/keys', { body: { name } }),
    ui.call('/api/v1/guardrails', { body: { name, description: name, content_filters: [filter] } }),
    ui.call('/api/v1/videos', { key: API_KEY, body: film }),
    // At most five tabs of one kind are opened.
    at < 5 &&
      ui.call('/api/v1/observability/destinations', {
        body: { type: 'webhook', name, enabled: false, config: { url } },
      }),
    send('acme/echo', name, at),
  ]);
  for (const response of responses)
    if (response instanceof Response && !response.ok) throw new Error(await response.text());
}

describe.skipIf(skipped !== undefined)(
  `what models, callers and providers write${skipped === undefined ? AMOUNT : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      echo = await startEcho();
      ui = await launchUi({ config: toConfig(), managementKey: MANAGEMENT_KEY });
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      echo?.close();
    }, 60_000);

    test('is tried in more than 300 ways, none like another', () => {
      expect(new Set(HOSTILE_CASES.map(({ text }) => text)).size).toBeGreaterThanOrEqual(300);
    });

    test.each([...new Set(HOSTILE_CASES.map(({ family }) => family))])(
      'does nothing in the details of a generation but be shown: %s',
      async (family) => {
        const cases = CASES.filter((each) => each.family === family);
        const ids = await forAll(cases, ({ text }, at) => send('acme/echo', text, at));
        const opened = await ui.open('#/generations', { initScript: WALK });
        expect(toFaults(await visitAll(opened, toVisits(cases, ids)))).toEqual([]);
        expect(opened.problems).toEqual([]);
      },
    );

    test('does nothing as the error of a provider', async () => {
      const cases = HOSTILE_CASES.filter((_, at) => at % 5 === 0);
      const ids = await forAll(cases, ({ text }, at) => send('acme/error', text, at));
      const opened = await ui.open('#/generations', { initScript: WALK });
      expect(toFaults(await visitAll(opened, toVisits(cases, ids, true)))).toEqual([]);
      expect(opened.problems).toEqual([]);
    });

    test('does nothing as the name of a model, a provider, a key, a guardrail, a destination or a film', async () => {
      await forAll(
        Array.from({ length: 40 }, (_, at) => nameAt(at)),
        makeNamed,
      );
      const opened = await ui.open('#/models', { initScript: WALK });
      const sightings: Sighting[] = [];
      for (const screen of LISTS) {
        await opened.follow(`#/${screen}`);
        sightings.push(await lookThrough(opened, screen));
      }
      expect(toFaults(sightings)).toEqual([]);
      expect(opened.problems).toEqual([]);
    });

    test('does nothing in the playground, neither while it comes nor when it is whole', async () => {
      const { page, problems } = await ui.open('#/playground?models=acme/echo,acme/error', { initScript: WALK });
      await page.getByLabel('Or enter a key').fill(API_KEY);
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill(HOSTILE_NAMES.join('\n\n'));
      await page.keyboard.press('Control+Enter');
      await page.getByRole('status').getByText('ok', { exact: true }).waitFor();
      await page.getByRole('alert').waitFor();
      expect(await page.evaluate(() => (globalThis as unknown as Walker).look())).toEqual([]);
      expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
    });

    test('does nothing to a spreadsheet, nor to who reads an export', async () => {
      await Promise.all(HOSTILE_NAMES.map((name, at) => send('acme/echo', name, at)));
      const csv = await (await ui.call('/admin/v1/generations/export?format=csv')).text();
      const fields = [...csv.matchAll(/(?:^|,|\r\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      );
      expect(fields.length).toBeGreaterThan(HOSTILE_NAMES.length * 20);
      expect(fields.filter((field) => /^[=+@\t\r-]/.test(field))).toEqual([]);
      const ndjson = await (await ui.call('/admin/v1/generations/export?format=ndjson&content=true')).text();
      const users = ndjson
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { external_user: string }).external_user);
      expect(users).toEqual(expect.arrayContaining(HOSTILE_NAMES.slice(0, 20)));
    });
  },
);
