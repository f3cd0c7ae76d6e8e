import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { HOSTILE_CASES, HOSTILE_NAMES } from '../e2e/hostile-cases.ts';
import { WALK, type Walker } from '../e2e/hostile-walk.ts';
import { launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';
import { type Echo, startEcho } from '../e2e/start-echo.ts';

const API_KEY = 'sk-gw-v1-screens-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
const WIDTHS = firstOrAll(480, 1360);
/** Calls of one session. */
const TURNS = 40;
/** Parts of screens that no text of others may bring: forms, fields, pictures of the product itself. */
const OWN =
  'form, form *, label *, [role=dialog] *, section svg, svg *, svg, [id^="radix-"], video, a[href^="blob:"], a[href^="https://opencode.ai/"]';

let ui: Ui;
let echo: Echo;
const made = { call: '', other: '', guardrail: '', key: '', member: '', destination: '', film: '' };

const nameAt = (at: number): string => HOSTILE_NAMES[(at * 11 + 3) % HOSTILE_NAMES.length] ?? '';

const toConfig = () => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: nameAt(1) },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'tests' },
    ],
  },
  webhooks: { allowPrivateNetwork: true },
  routing: { rules: [{ name: nameAt(2).slice(0, 60), when: { keys: [nameAt(3)] }, model: 'acme/echo' }] },
  providers: [0, 1].map((at) => ({
    slug: `echo-${at}`,
    name: nameAt(4 + at),
    wire: 'openai',
    baseUrl: `${echo.url}/v1`,
  })),
  models: [
    {
      id: 'acme/echo',
      name: nameAt(6),
      description: HOSTILE_CASES.map(({ text }) => text).find((text) => text.length > 2000) ?? nameAt(7),
      endpoints: [{ provider: 'echo-0', providerModel: nameAt(8) }],
    },
    { id: 'acme/error', name: nameAt(9), endpoints: [{ provider: 'echo-1', providerModel: 'error' }] },
    {
      id: 'acme/film',
      name: nameAt(10),
      architecture: { input_modalities: ['text'], output_modalities: ['video'] },
      endpoints: [{ provider: 'echo-0', providerModel: 'film', pricing: { video_second: '0.01' } }],
    },
  ],
});

async function write<Body>(path: string, body: object, key = MANAGEMENT_KEY): Promise<Body> {
  const response = await ui.call(path, { body, key });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

async function ask(content: string, at: number, session: string, model = 'acme/echo'): Promise<string> {
  const body = { model, stream: at % 2 === 1, messages: [{ role: 'user', content }], session_id: session };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.arrayBuffer();
  return response.headers.get('x-generation-id') ?? '';
}

const sessionOf = (at: number): string => `turns-${Math.floor(at / TURNS)}`;

/** Every text as a prompt and as what came of it, in threads. */
async function fillSessions(): Promise<void> {
  const left = HOSTILE_CASES.map(({ text }, at) => ({ text, at }));
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop())
      await ask(next.text, next.at, sessionOf(next.at));
  };
  await Promise.all([work(), work(), work(), work(), work(), work(), work(), work()]);
}

async function makeNamed(): Promise<void> {
  const member = { user_id: nameAt(11), name: nameAt(12), email: 'someone@example.com' };
  await write('/admin/v1/members', member);
  made.member = member.user_id;
  const key = await write<{ data: { hash: string } }>('/api/v1/keys', {
    name: nameAt(13),
    limit: 5,
    creator_user_id: member.user_id,
  });
  made.key = key.data.hash;
  const filter = { pattern: 'script', label: 'X', action: 'flag' };
  const { data } = await write<{ data: { id: string } }>('/api/v1/guardrails', {
    name: nameAt(14),
    description: nameAt(15),
    content_filters: [filter],
  });
  made.guardrail = data.id;
  await write(`/api/v1/guardrails/${data.id}/assignments/keys`, { key_hashes: [made.key] });
  const hook = { type: 'webhook', name: nameAt(16), config: { url: `${echo.url}/hook`, method: 'POST' } };
  const destination = await write<{ data: { id: string } }>('/api/v1/observability/destinations', hook);
  made.destination = destination.data.id;
  made.film = (await write<{ id: string }>('/api/v1/videos', { model: 'acme/film', prompt: nameAt(17) }, API_KEY)).id;
  made.call = await ask(HOSTILE_NAMES.join('\n'), 1, nameAt(18));
  made.other = await ask(HOSTILE_NAMES.toReversed().join('\n'), 0, nameAt(18), 'acme/error');
}

interface Screen {
  readonly name: string;
  readonly hash: () => string;
  readonly act?: (page: Page) => Promise<unknown>;
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name, exact: true }).click();

const SCREENS: readonly Screen[] = [
  { name: 'overview', hash: () => '#/', act: (page) => page.locator('.uplot').nth(3).waitFor() },
  { name: 'overview by key', hash: () => '#/?split=key' },
  { name: 'models', hash: () => '#/models?open=acme/echo' },
  { name: 'model', hash: () => '#/models/acme/echo' },
  { name: 'generations', hash: () => '#/generations' },
  { name: 'generations that nobody made', hash: () => `#/generations?model=${encodeURIComponent(nameAt(20))}` },
  { name: 'panel of a call', hash: () => `#/generations?open=${made.call}` },
  { name: 'error of a call', hash: () => `#/generations/${made.other}` },
  { name: 'usage of a call', hash: () => `#/generations/${made.call}`, act: tab('Usage and cost') },
  { name: 'comparison of calls', hash: () => `#/generations?compare=${made.call},${made.other}` },
  { name: 'sessions', hash: () => '#/generations/sessions' },
  { name: 'session', hash: () => `#/generations/sessions/${encodeURIComponent(nameAt(18))}` },
  { name: 'workbench', hash: () => `#/playground?from=${made.call}` },
  { name: 'workbench of an unknown model', hash: () => `#/playground?models=${encodeURIComponent(nameAt(21))}` },
  { name: 'videos', hash: () => `#/videos?open=${made.film}` },
  { name: 'guardrail', hash: () => `#/guardrails?open=${made.guardrail}` },
  { name: 'whom a guardrail holds for', hash: () => `#/guardrails?open=${made.guardrail}`, act: tab('Assigned to') },
  { name: 'hits of a guardrail', hash: () => `#/guardrails?open=${made.guardrail}`, act: tab('Hits') },
  {
    name: 'dry run',
    hash: () => `#/guardrails?open=${made.guardrail}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Dry run', exact: true }).first().click();
      await page
        .getByText(/would be|Nothing would/)
        .first()
        .waitFor();
    },
  },
  { name: 'keys', hash: () => '#/keys' },
  { name: 'key', hash: () => `#/keys/${made.key}` },
  { name: 'member', hash: () => `#/members/${encodeURIComponent(made.member)}` },
  { name: 'destination', hash: () => `#/destinations?open=${made.destination}` },
  { name: 'providers', hash: () => '#/providers?open=echo-0' },
  { name: 'provider', hash: () => '#/providers/echo-1' },
  { name: 'connect a tool', hash: () => '#/connect' },
  { name: 'settings of a tool', hash: () => '#/connect?tool=opencode', act: press(/^Create key/) },
  { name: 'settings', hash: () => '#/settings' },
  {
    name: 'commands',
    hash: () => '#/settings',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
      await page.keyboard.type('script');
    },
  },
];

/** Faults of the screen, a line each, at the widths. */
async function roam({ page, problems }: UiPage): Promise<string[]> {
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 850 });
    faults.push(...(await page.evaluate((own) => (globalThis as unknown as Walker).roam(own), OWN)));
    const wide = await page.evaluate<number>(WIDTH);
    if (wide > width) faults.push(`${wide} pixels wide where there are ${width}`);
  }
  return [...new Set([...faults, ...problems.splice(0)])];
}

describe.skipIf(skipped !== undefined)(
  `hostile texts on every screen${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let opened: UiPage;
    beforeAll(async () => {
      echo = await startEcho();
      ui = await launchUi({ config: toConfig(), managementKey: MANAGEMENT_KEY });
      await fillSessions();
      await makeNamed();
      opened = await ui.open('#/', { initScript: WALK, isKept: true });
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      echo?.close();
    }, 60_000);

    test.each(Array.from({ length: Math.ceil(HOSTILE_CASES.length / TURNS) }, (_, at) => at))(
      `run nothing, load nothing and fit, as the ${TURNS} calls of thread %i`,
      async (at) => {
        await opened.follow(`#/generations/sessions/turns-${at}`);
        await opened.page.locator('main article').first().waitFor();
        expect(await roam(opened)).toEqual([]);
      },
    );

    test.each(SCREENS)('run nothing, load nothing and fit: $name', async ({ hash, act }) => {
      await opened.page.setViewportSize({ width: 1360, height: 850 });
      await opened.go(hash());
      await act?.(opened.page);
      expect(await roam(opened)).toEqual([]);
    });
  },
);
