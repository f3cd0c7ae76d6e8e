import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { shellMessages } from '../../packages/ui/src/shell/messages.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';

/** What a page has, and this program's types have not. */
interface Styles {
  getComputedStyle(of: unknown): { readonly outlineStyle: string };
}

const SOURCE = fileURLToPath(new URL('../../packages/ui/src/', import.meta.url));
const DEMO = fileURLToPath(new URL('../../fixtures/demo', import.meta.url));

const ids = { first: '', second: '', fixture: 'demo/chat-completions/synthetic-greeting', miss: '', guardrail: '' };
const CONFIGURED = createHash('sha256').update(API_KEY).digest('hex');

/** Every shortcut that the sources register, by file and keys: `generation-tabs ]`. */
function findShortcuts(): string[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  const hooks = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /use-[\w-]+\.ts$/.test(file),
  );
  return [...files, ...hooks].flatMap((file) =>
    [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/useShortcut\(\s*\{\s*keys: ['`](.+?)['`],/g)].map(
      ([, keys]) => `${basename(file, extname(file))} ${keys}`,
    ),
  );
}

const SCREENS: Readonly<Record<string, string>> = shellMessages().screens;

/** The screens as the navigation names them, with the keys that lead there. */
const PLACES = [
  ...readFileSync(join(SOURCE, 'shell/navigation.ts'), 'utf8').matchAll(
    /(?<!\/\/ \{ )path: '(.+?)', name: '(\w+)', letter: '(\w)'(?:, digit: '(\d)')?/g,
  ),
].map(([, path = '', name = '', letter = '', digit]) => ({ path, label: SCREENS[name] ?? '', letter, digit }));

/** Screens that are reached from others, by what they show. */
const FURTHER: Readonly<Record<string, () => string>> = {
  'the charts by provider': () => '#/?split=provider&range=7d',
  'a workbench of two models': () => '#/playground?models=demo/chat,demo/reasoner',
  'a replay beside the original': () => `#/playground?from=${ids.first}`,
  'the tools that can be connected': () => '#/connect',
  'the settings of a tool': () => '#/connect?tool=opencode',
  'the timeline of a call': () => `#/generations/${ids.first}`,
  'a call beside the list': () => `#/generations?open=${ids.first}`,
  'two calls side by side': () => `#/generations?compare=${ids.first},${ids.second}`,
  'the sessions': () => '#/generations/sessions',
  'a session': () => '#/generations/sessions/walk',
  'the form of a rerun': () => `#/reruns?new=1&ids=${ids.first}`,
  'a guardrail with its pickers': () => `#/guardrails?open=${ids.guardrail}`,
  'a model': () => '#/models/demo/chat',
  'a provider': () => '#/providers/demo',
  'a key': () => `#/keys/${CONFIGURED}`,
};

/** Presses a key and tells what the open tab is then. */
async function openTab(page: Page, key: string): Promise<string | null> {
  await page.keyboard.press(key);
  return page.getByRole('tab', { selected: true }).textContent();
}

const hashOf = (page: Page): string => new URL(page.url()).hash;

const toFilter = async (page: Page): Promise<void> => {
  await page.locator('input[type=search]').first().waitFor();
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.type')).toBe('search');
};

const toOtherTab = async (page: Page): Promise<void> => {
  const before = await page.getByRole('tab', { selected: true }).textContent();
  const after = await openTab(page, ']');
  expect(after).not.toBe(before);
  expect(await openTab(page, '[')).toBe(before);
};

const onRow =
  (key: string, toast: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('grid').focus();
    await page.keyboard.press(key);
    await page.locator('[data-messages]').getByText(toast).first().waitFor();
  };

const goEverywhere = async (
  page: Page,
  press: (place: (typeof PLACES)[number]) => readonly string[],
): Promise<void> => {
  // From another screen also to the first.
  for (const place of [...PLACES.slice(1), ...PLACES.slice(0, 1)]) {
    const keys = press(place);
    for (const key of keys) await page.keyboard.press(key);
    if (keys.length > 0) await page.getByRole('heading', { level: 1, name: place.label, exact: true }).waitFor();
  }
};

/** Effect of each shortcut, from a screen where it has one. */
const WALKS: Readonly<Record<string, readonly [hash: () => string, walk: (page: Page) => Promise<void>]>> = {
  'layout mod+k': [
    () => '#/',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
    },
  ],
  'layout ?': [
    () => '#/',
    async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  ],
  'layout g ${letter}': [() => '#/', (page) => goEverywhere(page, ({ letter }) => ['g', letter])],
  'layout mod+${digit}': [
    () => '#/',
    (page) => goEverywhere(page, ({ digit }) => (digit === undefined ? [] : [`Control+${digit}`])),
  ],
  'side-panel Escape': [
    () => '#/models?open=demo/chat',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'Model demo/chat' }).waitFor({ state: 'detached' });
    },
  ],
  'connect-tool /': [() => '#/connect', toFilter],
  'providers-screen /': [() => '#/providers', toFilter],
  'keys-screen /': [() => '#/keys', toFilter],
  'audit-screen /': [() => '#/audit', toFilter],
  'files-screen /': [() => '#/files?q=none', toFilter],
  'members-screen /': [() => '#/members', toFilter],
  'groups-screen /': [() => '#/members?view=groups', toFilter],
  'fixtures-screen /': [() => '#/fixtures', toFilter],
  'filter-bar /': [() => '#/generations', toFilter],
  'model-filters /': [() => '#/models', toFilter],
  'case-panel ]': [() => `#/fixtures?open=${ids.fixture}`, toOtherTab],
  'case-panel [': [() => `#/fixtures?open=${ids.fixture}`, toOtherTab],
  'miss-panel ]': [() => `#/fixtures?view=misses&open=${ids.miss}`, toOtherTab],
  'miss-panel [': [() => `#/fixtures?view=misses&open=${ids.miss}`, toOtherTab],
  'generation-tabs ]': [() => `#/generations/${ids.first}`, toOtherTab],
  'generation-tabs [': [() => `#/generations?open=${ids.first}`, toOtherTab],
  'generation-page Escape': [
    () => `#/generations/${ids.first}`,
    async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: `Generation ${ids.first}` }).waitFor();
    },
  ],
  'resource-page Escape': [
    () => '#/models/demo/chat',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    },
  ],
  'use-row-keys j': [
    () => `#/generations?open=${ids.second}`,
    async (page) => {
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('j');
      await expect.poll(() => hashOf(page)).toContain(ids.first);
    },
  ],
  'use-row-keys k': [
    () => `#/generations?open=${ids.first}`,
    async (page) => {
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('k');
      await expect.poll(() => hashOf(page)).toContain(ids.second);
    },
  ],
  'running-bar w': [
    () => '#/generations',
    async (page) => {
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('w');
      await page.getByText('No request has been running for longer than a second').first().waitFor();
    },
  ],
  'use-row-keys x': [() => '#/generations', onRow('x', 'Selected. Press x on another to compare.')],
  'use-row-keys p': [() => '#/generations', onRow('p', 'Pinned')],
  'use-row-keys c': [() => '#/generations', onRow('c', 'ID copied')],
  'use-row-keys Shift+C': [() => '#/generations', onRow('Shift+C', 'Copied as curl')],
  'use-row-keys r': [
    () => '#/generations',
    async (page) => {
      await page.getByRole('grid').focus();
      await page.keyboard.press('r');
      await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    },
  ],
  'workbench mod+Enter': [
    () => '#/playground?models=demo/chat',
    async (page) => {
      await page.getByRole('textbox', { name: 'Message', exact: true }).focus();
      await page.keyboard.type('Hello!');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('status').getByText('ok', { exact: true }).waitFor();
    },
  ],
  'workbench Escape': [
    () => '#/playground?models=demo/chat',
    async (page) => {
      // The request never gets a response.
      await page.route('**/chat/completions', () => undefined);
      await page.getByRole('textbox', { name: 'Message', exact: true }).focus();
      await page.keyboard.type('Hello!');
      await page.keyboard.press('Control+Enter');
      await page.getByText('Waiting for the first token…').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('status').getByText('cancelled').waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  ],
};

/** The element with the focus, and whether the focus is visible: at it, or at the box that is drawn around a field. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const name = element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40);
  // Numbers of elements as they are met: places among all elements change while the page grows.
  const numbers = (globalThis.numbersOfElements ??= new Map());
  if (!numbers.has(element)) numbers.set(element, numbers.size);
  const place = numbers.get(element);
  const around = getComputedStyle(element.parentElement).outlineStyle !== 'none';
  return { name, place, isSeen: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none' || around };
})()`;

/** Presses Tab until the focus leaves the page: every stop is seen, and none comes twice. */
async function walkByTab({ page, problems }: UiPage, least = PLACES.length): Promise<void> {
  const seen: number[] = [];
  // The menu may come after the heading of its screen: what it holds would stand behind the focus then.
  await page.getByRole('navigation', { name: 'Screens' }).first().getByRole('link').first().waitFor();
  for (;;) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ name: string; place: number; isSeen: boolean } | null>(FOCUSED);
    // After the last the focus leaves the page.
    if (focused === null || focused.place === seen[0]) break;
    expect(focused).toMatchObject({ isSeen: true });
    expect(seen, `${focused.name} again`).not.toContain(focused.place);
    seen.push(focused.place);
  }
  expect(seen.length).toBeGreaterThan(least);
  expect(problems.splice(0)).toEqual([]);
}

describe.skipIf(skipped !== undefined)(
  `the web UI by keyboard alone${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    let opened: UiPage;
    let fixtures: string;

    const chat = async (content: string): Promise<string> => {
      const body = { model: 'demo/chat', messages: [{ role: 'user', content }], session_id: 'walk' };
      const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
      await response.text();
      return response.headers.get('x-generation-id') ?? '';
    };

    beforeAll(async () => {
      fixtures = mkdtempSync(join(tmpdir(), 'gateway-keys-'));
      // Without the fallback cases, so that a request can be missed.
      cpSync(DEMO, join(fixtures, 'demo'), { recursive: true, filter: (from) => !from.endsWith('-fallback') });
      ui = await launchUi({ fixtures });
      ids.first = await chat('Hello!');
      ids.second = await chat('Hello!');
      await chat('Nothing was recorded for this');
      const misses = await (await ui.call('/admin/v1/fixtures/misses')).json();
      ids.miss = (misses as { data: { id: string }[] }).data[0]?.id ?? '';
      const guardrail = await (await ui.call('/api/v1/guardrails', { body: { name: 'Walked' } })).json();
      // These lists have a field to search by once there is something in them.
      await ui.call('/api/v1/keys', { body: { name: 'Walked' } });
      await ui.call('/admin/v1/members', { body: { user_id: 'walked' } });
      ids.guardrail = (guardrail as { data: { id: string } }).data.id;
      opened = await ui.open('#/', { isKept: true, permissions: ['clipboard-write'] });
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      rmSync(fixtures, { recursive: true, force: true });
    });

    test('has a walk for every shortcut that is registered', () => {
      expect(findShortcuts().toSorted()).toEqual(Object.keys(WALKS).toSorted());
      expect(PLACES.length).toBeGreaterThan(9);
    });

    test.each(Object.entries(WALKS))('does what it lists: %s', async (_name, [hash, walk]) => {
      await opened.go(hash());
      await walk(opened.page);
      expect(opened.problems.splice(0)).toEqual([]);
    });

    test('shows the ring of the keyboard on a tab that keys lead to, not on one that is pressed', async () => {
      const { page } = opened;
      await opened.go(`#/generations/${ids.first}`);
      const readOutline = (name: string): Promise<string> =>
        page
          .getByRole('tab', { name })
          .evaluate((tab) => (globalThis as unknown as Styles).getComputedStyle(tab).outlineStyle);
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      expect(await readOutline('Usage and cost')).toBe('none');
      await page.keyboard.press('ArrowRight');
      // The tab that is chosen is part of the address, which takes a moment.
      await expect.poll(() => readOutline('Raw')).toBe('solid');
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => readOutline('Usage and cost')).toBe('solid');
    });

    test.each(PLACES)('reaches all of $label, shows where it is, and is held nowhere', async ({ path }) => {
      await opened.go(`#${path}`);
      await walkByTab(opened);
    });

    test.each(Object.entries(FURTHER))('reaches all of %s, shows where it is, and is held nowhere', async (_, hash) => {
      await opened.go(hash());
      // Some begin with the focus in their first field.
      await walkByTab(opened, 2);
    });

    test('reaches all of the first run, from which a provider is added and left again', async () => {
      const empty = await launchUi({ isEmpty: true });
      try {
        const first = await empty.open('#/');
        await walkByTab(first);
        const { page } = first;
        await page.getByRole('button', { name: 'Add a provider' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('searchbox', { name: 'Search providers' }).and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Add a provider' }).and(page.locator(':focus')).waitFor();
      } finally {
        await empty.close();
      }
    });
  },
);
