import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { examine, untilDrawn } from '../e2e/examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';

const OWN_KEY = 'sk-gw-v1-states-0123456789abcdef0123456789abcdef';
const isFull = process.env['TEST_FULL'] === '1';
const note = skipped !== undefined ? `, skipped: ${skipped}` : isFull ? '' : ', every third: all with TEST_FULL=1';
const some = <Item>(items: readonly Item[]): readonly Item[] =>
  isFull ? items : items.filter((_, at) => at % 3 === 0);

/** Every route, with its parts that have data of their own. */
const ROUTES = [
  '',
  'models',
  'generations',
  'playground',
  'videos',
  'videos?view=webhooks',
  'guardrails',
  'keys',
  'destinations',
  'providers',
  'fixtures',
  'batches',
  'audit?q=none',
  'files',
  'reruns',
  'settings?section=account',
];

const toName = (route: string): string => (route === '' ? 'overview' : route.replaceAll(/\W/g, '-'));

describe.skipIf(skipped !== undefined)(`the web UI where there is nothing${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  let opened: UiPage | undefined;
  beforeAll(async () => {
    const bootstrapKeys = [{ key: OWN_KEY, kind: 'management', name: 'admin' }];
    ui = await launchUi({ config: { auth: { bootstrapKeys } }, managementKey: OWN_KEY });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test.each(some(ROUTES))('says so, and what to do: /%s', async (route) => {
    opened ??= await ui.open('#/', { reducedMotion: 'reduce', isKept: true });
    await opened.go(`#/${route}`);
    expect(await examine(opened, `empty-${toName(route)}`)).toEqual([]);
  });

  test('offers no key of the demo at sign-in, which this gateway would refuse', async () => {
    const { page, problems } = await ui.open('', { isSignedIn: false });
    await page.getByLabel('Management key').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Sign in']);
    expect(problems).toEqual([]);
  });
});

/** Dialogs that open over a screen, and the way to open them. */
const DIALOGS: readonly (readonly [name: string, hash: () => string, open: (page: Page) => Promise<void>])[] = [
  ['palette', () => '#/', (page) => page.keyboard.press('Control+k')],
  ['shortcuts', () => '#/', (page) => page.keyboard.press('?')],
  ['snippets', () => '#/', (page) => page.getByRole('button', { name: 'Copy address or snippet' }).click()],
  ['key-new', () => '#/keys', (page) => page.getByRole('button', { name: 'New key' }).click()],
  ['key-menu', () => '#/keys', (page) => page.getByRole('button', { name: 'Actions for Tests' }).click()],
  [
    'key-delete',
    () => '#/keys',
    async (page) => {
      await page.getByRole('button', { name: 'Actions for Tests' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
    },
  ],
  ['batch-new', () => '#/batches', async (page) => page.getByRole('button', { name: 'New batch' }).first().click()],
  ['upload', () => '#/files', async (page) => page.getByRole('button', { name: 'Upload files' }).first().click()],
  ['rerun-new', () => '#/reruns?new=1', async (page) => page.getByRole('dialog').waitFor()],
  [
    'guardrail-new',
    () => '#/guardrails',
    (page) => page.getByRole('button', { name: 'New guardrail' }).first().click(),
  ],
  [
    'destination-new',
    () => '#/destinations',
    (page) => page.getByRole('button', { name: 'New destination' }).first().click(),
  ],
  ['video-new', () => '#/videos', (page) => page.getByRole('button', { name: 'New video' }).first().click()],
  ['columns', () => '#/generations', (page) => page.getByRole('button', { name: 'Columns' }).click()],
  ['actions', () => '#/generations', (page) => page.getByRole('button', { name: 'Actions', exact: true }).click()],
  [
    'generation-delete',
    () => `#/generations/${generation}`,
    async (page) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Delete prompt and response…' }).click();
    },
  ],
  [
    'link',
    () => `#/generations/${generation}`,
    (page) => page.getByRole('button', { name: 'the terms' }).first().click(),
  ],
  [
    'models-compared',
    () => '#/models?compare=demo/chat,demo/reasoner',
    (page) => page.getByRole('button', { name: 'Compare' }).click(),
  ],
];

let generation = '';

describe.skipIf(skipped !== undefined)(`what opens over a screen${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  let opened: UiPage;
  beforeAll(async () => {
    ui = await launchUi();
    const messages = [{ role: 'user', content: 'Read [the terms](https://example.com/terms).' }];
    const sent = await ui.call('/api/v1/chat/completions', { key: API_KEY, body: { model: 'demo/chat', messages } });
    generation = sent.headers.get('x-generation-id') ?? '';
    await ui.call('/api/v1/keys', { body: { name: 'Tests' } });
    opened = await ui.open('#/', { reducedMotion: 'reduce', isKept: true });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test.each(some(DIALOGS))('can be used by all users: %s', async (name, hash, open) => {
    await opened.go(hash());
    await open(opened.page);
    await opened.page.locator('dialog[open], [role=menu]').first().waitFor();
    expect(await examine(opened, `over-${name}`)).toEqual([]);
  });
});

describe.skipIf(skipped !== undefined)(`the web UI of a gateway that fails${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  let opened: UiPage | undefined;
  beforeAll(async () => {
    ui = await launchUi();
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  const FAILURE = {
    error: { code: 500, message: 'The store cannot be read', metadata: { error_type: 'internal_error' } },
  };

  test.each(some([...ROUTES, 'generations/gen-1', 'generations?open=gen-1', 'models?open=demo/chat']))(
    'says what is wrong, what to do, and what to report: /%s',
    async (route) => {
      opened ??= await ui.open('#/', { reducedMotion: 'reduce', isKept: true });
      const { page, problems, go } = opened;
      await page.route(/\/(api|admin)\/v1\/(?!session)/, (intercepted) =>
        intercepted.fulfill({ status: 500, json: FAILURE }),
      );
      await go(`#/${route}`);
      // The forms of the playground need nothing; what a call answers there is tested with it.
      const alert = page.getByRole('alert').first();
      await alert.getByText('The store cannot be read').waitFor();
      await alert.getByRole('button', { name: 'Copy report' }).waitFor();
      expect(problems.splice(0).filter((problem) => !problem.includes('status of 500'))).toEqual([]);
      const findings = await examine(opened, `failed-${toName(route)}`);
      expect(findings.filter((problem) => !problem.includes('status of 500'))).toEqual([]);
    },
  );

  test('says once why cards of a screen fail alike, and loads all of them again at one press', async () => {
    const { page, go } = await ui.open('#/', { reducedMotion: 'reduce' });
    let isAway = true;
    await page.route(/\/(api|admin)\/v1\/(?!session)/, (intercepted) =>
      isAway ? intercepted.fulfill({ status: 500, json: FAILURE }) : intercepted.continue(),
    );
    await go('#/');
    const alerts = page.getByRole('alert');
    await alerts.filter({ hasText: 'forecast' }).waitFor();
    await expect.poll(() => alerts.count()).toBe(3);
    expect(await page.getByText('The store cannot be read').count()).toBe(1);
    const again = page.getByRole('button', { name: 'Try again' });
    expect(await again.count()).toBe(1);
    isAway = false;
    await again.click();
    await expect.poll(() => alerts.count()).toBe(0);
  });

  test('keeps failures and their places while what has never loaded is asked for again', async () => {
    const { page, go } = await ui.open('#/', { reducedMotion: 'reduce' });
    let isHeld = false;
    const held: (() => void)[] = [];
    await page.route(/\/(api|admin)\/v1\/(?!session)/, async (intercepted) => {
      if (isHeld) await new Promise<void>((release) => held.push(release));
      await intercepted.fulfill({ status: 500, json: FAILURE });
    });
    await go('#/');
    const alerts = page.getByRole('alert');
    await expect.poll(() => alerts.count()).toBe(3);
    const places = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('main [role=alert]')].map((alert) => JSON.stringify(alert.getBoundingClientRect()))`,
      );
    const before = await places();
    isHeld = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => held.length).toBeGreaterThan(2);
    await untilDrawn(page);
    expect(await places()).toEqual(before);
    isHeld = false;
    for (const release of held) release();
  });

  test('keeps the failure of a guardrail’s assignments in its place while they are asked for again', async () => {
    await ui.call('/api/v1/guardrails', { body: { name: 'Held' } });
    const { page, go } = await ui.open('#/', { reducedMotion: 'reduce' });
    let isAway = true;
    const held: (() => void)[] = [];
    await page.route('**/api/v1/guardrails/assignments/**', async (intercepted) => {
      if (!isAway) await new Promise<void>((release) => held.push(release));
      await (isAway ? intercepted.fulfill({ status: 500, json: FAILURE }) : intercepted.continue());
    });
    await go('#/guardrails');
    await page.getByRole('row', { name: /^Held/ }).click();
    await page.getByRole('tab', { name: 'Assigned to' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Couldn’t load keys and members' });
    await alert.getByText('The store cannot be read').waitFor();
    const before = await alert.boundingBox();
    isAway = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => held.length).toBe(2);
    await untilDrawn(page);
    expect(await alert.boundingBox()).toEqual(before);
    for (const release of held) release();
    await page.getByRole('combobox', { name: 'Members' }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('a session that cannot be looked up for now goes on by itself afterwards', async () => {
    const { page, go } = await ui.open('#/');
    let isAway = true;
    await page.route('**/admin/v1/session', (intercepted) =>
      isAway ? intercepted.fulfill({ status: 503, json: FAILURE }) : intercepted.continue(),
    );
    await go('#/settings');
    await page.getByLabel('Management key').waitFor();
    isAway = false;
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });
});

describe.skipIf(skipped !== undefined)(
  `the web UI of a gateway that was not used yet${note}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    test('names the address that leads nowhere', async () => {
      const { page, problems, check } = await ui.open('#/');
      await page.goto(`${ui.url}/ui/#/nowhere/at-all?x=1`);
      await page.getByText('Page not found').waitFor();
      await page.getByText('/nowhere/at-all', { exact: true }).waitFor();
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('suggests the screen that the address was probably meant for', async () => {
      const { page, problems } = await ui.open('#/provider/demo');
      await page.getByText('Did you mean').getByRole('link', { name: 'Providers' }).click();
      await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('names who is signed in whole, and says by what', async () => {
      const { page } = await ui.open('#/');
      const name = page.getByRole('navigation').getByTitle('Signed in with the key “demo management”');
      await name.getByText('demo management').waitFor();
      const isCut = `[...document.querySelectorAll('nav [title^="Signed in"] *')]
        .some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)`;
      expect(await page.evaluate<boolean>(isCut)).toBe(false);
    });

    test('shows no spending of a management key, which calls no models', async () => {
      const { page } = await ui.open('#/keys');
      const row = page.getByRole('row', { name: /^demo management/ });
      await row.getByTitle('Management keys call no models, so they spend nothing.').first().waitFor();
      expect(await row.getByText('$0').count()).toBe(0);
    });

    test('shows no hours, and no table of them, of a provider that has had no request', async () => {
      const { page, problems } = await ui.open('#/providers/demo');
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('Requests appear here by the hour').waitFor();
      expect(await history.getByRole('button').allInnerTexts()).toEqual(['24 h', '7 days']);
      expect(problems).toEqual([]);
    });

    test('leaves out the columns of fixtures that have nothing to say', async () => {
      const { page, problems } = await ui.open('#/fixtures');
      await page.getByRole('row').nth(1).waitFor();
      const heads = await page.getByRole('columnheader').allInnerTexts();
      expect(heads).toEqual(['Name', 'Model', 'Status', 'Response', 'Used']);
      expect(problems).toEqual([]);
    });
  },
);
