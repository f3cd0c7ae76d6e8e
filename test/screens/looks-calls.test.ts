import { createHash } from 'node:crypto';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme, WIDTH } from '../e2e/examine.ts';
import { FIND_UNFIT, KEEP_LABELS } from '../e2e/find-unfit.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { fillFigures } from '../support/stores/fill-figures.ts';

const isFull = process.env['TEST_FULL'] === '1';
const note = skipped !== undefined ? `, skipped: ${skipped}` : isFull ? '' : ', every third: all with TEST_FULL=1';
const some = <Item>(items: readonly Item[]): readonly Item[] =>
  isFull ? items : items.filter((_, at) => at % 3 === 0);

const WIDTHS = [1440, 2560, 900, 480];
const CONFIGURED = createHash('sha256').update(API_KEY).digest('hex');
const EIGHT = Array.from({ length: 8 }, (_, at) => `demo/${at % 2 === 0 ? 'chat' : 'reasoner'}`).join(',');

const OWN_KEY = 'sk-gw-v1-looks-0123456789abcdef0123456789abcdef';

/** Not in the blank page before, which may keep nothing. */
const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${API_KEY}')`;

const made = { call: '', key: '' };

interface State {
  readonly name: string;
  readonly hash: () => string;
  /** What is done before it is looked at; done again where it does not outlive a change of the width. */
  readonly open?: (page: Page) => Promise<unknown>;
}

const charts = (page: Page) => page.locator('.uplot').nth(3).waitFor();
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const tab = (name: string): State => ({
  name: `call-${name.slice(0, 5).toLowerCase()}`,
  hash: () => `#/generations/${made.call}`,
  open: async (page) => page.getByRole('tab', { name }).click(),
});

const FILLED: readonly State[] = [
  { name: 'overview', hash: () => '#/', open: charts },
  { name: 'overview-nothing', hash: () => '#/?from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z' },
  { name: 'generations', hash: () => '#/generations' },
  { name: 'generations-none', hash: () => '#/generations?model=none/such' },
  { name: 'generations-panel', hash: () => `#/generations?open=${made.call}` },
  { name: 'generations-views', hash: () => '#/generations', open: press('Views') },
  { name: 'sessions', hash: () => '#/generations/sessions' },
  { name: 'columns', hash: () => '#/generations', open: press('Columns') },
  { name: 'session', hash: () => '#/generations/sessions/a-walk' },
  tab('Request and response'),
  tab('Timeline'),
  tab('Usage and cost'),
  { name: 'playground', hash: () => '#/playground' },
  tab('Raw'),
  { name: 'playground-eight', hash: () => `#/playground?models=${EIGHT}` },
  { name: 'playground-tools', hash: () => '#/playground?models=demo/chat', open: press('Tools') },
  { name: 'playground-original', hash: () => `#/playground?from=${made.call}` },
  { name: 'playground-parameters', hash: () => '#/playground?models=demo/chat', open: press('Parameters') },
  { name: 'connect', hash: () => '#/connect' },
  { name: 'playground-experiments', hash: () => '#/playground', open: press('Experiments') },
  { name: 'connect-tool', hash: () => '#/connect?tool=opencode' },
  {
    name: 'connect-settings',
    hash: () => '#/connect?tool=opencode',
    open: async (page) => {
      await page.getByRole('button', { name: /^Create key/ }).click();
      await page.getByText('Waiting for the first request from opencode').waitFor();
    },
  },
  { name: 'keys', hash: () => '#/keys' },
  { name: 'key-new', hash: () => '#/keys', open: press('New key') },
  { name: 'key', hash: () => `#/keys/${CONFIGURED}`, open: charts },
  { name: 'key-made', hash: () => `#/keys/${made.key}` },
  { name: 'member', hash: () => '#/members/ada', open: charts },
  { name: 'shortcuts', hash: () => '#/settings', open: (page) => page.keyboard.press('?') },
  { name: 'palette', hash: () => '#/settings', open: (page) => page.keyboard.press('Control+k') },
  { name: 'mode', hash: () => '#/settings', open: press(/^Mode/) },
];

const EMPTY: readonly State[] = [
  'overview',
  'generations',
  'sessions',
  'playground',
  'connect',
  'connect-tool',
  'keys',
].map((name) => ({
  name: `empty-${name}`,
  hash: () =>
    `#/${{ overview: '', sessions: 'generations/sessions', 'connect-tool': 'connect?tool=cursor' }[name] ?? name}`,
}));

/** What is ugly at one of the widths, in both themes, a line each; a picture of each is kept. */
async function look(opened: UiPage, { name, hash, open }: State): Promise<string[]> {
  const { page, problems, go, check, screenshot } = opened;
  const found: string[] = [];
  await page.setViewportSize({ width: 1440, height: 900 });
  await go(hash());
  await open?.(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(opened, theme);
      await screenshot(`look-${name}-${width}-${theme}`);
      // The colours of a theme are the same at each width.
      const isChecked = isFull || (theme === 'dark' ? width === 480 : width === 1440);
      if (isChecked) found.push(...(await check({ ofColours: theme === 'light' })));
    }
    // A chart takes its new width when the page has nothing better to do.
    await expect.poll(() => page.evaluate<number>(WIDTH), { message: `width of ${width}` }).toBeLessThanOrEqual(width);
    for (const unfit of await page.evaluate<string[]>(FIND_UNFIT)) found.push(`${width}: ${unfit}`);
  }
  for (const label of await page.evaluate<string[]>('[...window.cutLabels]')) found.push(`cut off: ${label}`);
  return [...found, ...problems.splice(0)];
}

async function fill(ui: Ui): Promise<void> {
  const said = ['Where shall we walk today?', 'How long does it take?', 'And what shall I take along?'];
  for (let turn = 1; turn <= said.length; turn += 1) {
    const messages = said
      .slice(0, turn)
      .flatMap((content, at) => [
        ...(at === 0 ? [] : [{ role: 'assistant', content: 'Along the river, for two hours.' }]),
        { role: 'user', content },
      ]);
    const body = { model: 'demo/chat', messages, session_id: 'a-walk' };
    const sent = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
    made.call = sent.headers.get('x-generation-id') ?? '';
    await sent.arrayBuffer();
  }
  await ui.call('/admin/v1/members', { body: { user_id: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' } });
  for (const [name, limit, limit_reset] of [
    ['The tool on my laptop', 5, 'monthly'],
    ['Continuous integration of the shop', 123_456.78, 'daily'],
    ['No limit', null, null],
  ] as const) {
    const key = await ui.call('/api/v1/keys', { body: { name, limit, limit_reset, creator_user_id: 'ada' } });
    made.key ||= ((await key.json()) as { data: { hash: string } }).data.hash;
  }
}

describe.skipIf(skipped !== undefined)(
  `the looks of the screens of calls and keys${note}`,
  { timeout: 120_000 },
  () => {
    let ui: Ui;
    let opened: UiPage;
    beforeAll(async () => {
      ui = await launchUi({ prepareData: (dir) => fillFigures(dir, Date.now()) });
      await fill(ui);
      const initScript = `${KEEP_LABELS};${CHOOSE_KEY}`;
      opened = await ui.open('#/', { initScript, reducedMotion: 'reduce', isKept: true });
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    test.each(some(FILLED))('fit and can be read at every width, in both themes: $name', async (state) => {
      expect(await look(opened, state)).toEqual([]);
    });
  },
);

describe.skipIf(skipped !== undefined)(`the looks of screens without anything${note}`, { timeout: 120_000 }, () => {
  let ui: Ui;
  let opened: UiPage;
  beforeAll(async () => {
    const bootstrapKeys = [{ key: OWN_KEY, kind: 'management', name: 'admin' }];
    ui = await launchUi({ config: { auth: { bootstrapKeys } }, managementKey: OWN_KEY });
    opened = await ui.open('#/', {
      managementKey: OWN_KEY,
      initScript: KEEP_LABELS,
      reducedMotion: 'reduce',
      isKept: true,
    });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test.each(some(EMPTY))('fit and can be read at every width, in both themes: $name', async (state) => {
    expect(await look(opened, state)).toEqual([]);
  });

  test('fit and can be read at every width, in both themes: sign-in', async () => {
    const signIn = await ui.open('#/', { initScript: KEEP_LABELS, reducedMotion: 'reduce', isSignedIn: false });
    expect(await look(signIn, { name: 'sign-in', hash: () => '#/' })).toEqual([]);
  });
});
