import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { API_KEY, launchUi, skipped, type Ui } from './launch-ui.ts';

/** What has the focus, as a person would say it: `input Name`, `button Cancel`. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return 'nothing';
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent.trim();
  return (element.getAttribute('role') ?? element.tagName.toLowerCase()) + ' ' + label.slice(0, 40);
})()`;
const IS_WITHIN = "document.querySelector('dialog[open]').contains(document.activeElement)";

const focused = (page: Page): Promise<string> => page.evaluate(FOCUSED);
const opened = (page: Page) => page.locator('dialog[open]').waitFor();
const press = async (page: Page, keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

interface Case {
  readonly hash: () => string;
  /** What is operated with the keyboard, or clicked, to open the dialog. */
  readonly opener: (page: Page) => Promise<void>;
  /** What has the focus then. */
  readonly first: string;
  /** What has it when the dialog is left with Escape. */
  readonly returned: string;
}

let generation = '';

const onButton = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name, exact: true }).first().focus();
  await page.keyboard.press('Enter');
};
const inMenu = (button: string, item: string) => async (page: Page) => {
  await onButton(button)(page);
  const entry = page.getByRole('menuitem', { name: item });
  // What needs the contents of a call can be chosen when they are there.
  await expect.poll(() => entry.isEnabled(), { timeout: 10_000 }).toBe(true);
  await entry.focus();
  await page.keyboard.press('Enter');
};

const CASES: Readonly<Record<string, Case>> = {
  'search, by its button': {
    hash: () => '#/',
    opener: async (page) => {
      await page.getByRole('button', { name: 'Search' }).focus();
      await page.keyboard.press('Enter');
    },
    first: 'combobox Search and commands',
    returned: 'button Search',
  },
  'search, by its keys': {
    hash: () => '#/keys',
    opener: async (page) => {
      await page.getByRole('grid').focus();
      await page.keyboard.press('Control+k');
    },
    first: 'combobox Search and commands',
    returned: 'grid Keys',
  },
  'keyboard shortcuts': {
    hash: () => '#/keys',
    opener: async (page) => {
      await page.getByRole('grid').focus();
      await page.keyboard.press('?');
    },
    first: 'button Close',
    returned: 'grid Keys',
  },
  'a new key': { hash: () => '#/keys', opener: onButton('New key'), first: 'input Name', returned: 'button New key' },
  'a change of a key': {
    hash: () => '#/keys',
    opener: inMenu('Actions for Tests', 'Edit…'),
    first: 'input Name',
    returned: 'button Actions for Tests',
  },
  'the deletion of a key, where the safe button is first': {
    hash: () => '#/keys',
    opener: inMenu('Actions for Tests', 'Delete…'),
    first: 'button Cancel',
    returned: 'button Actions for Tests',
  },
  'the deletion of contents, where the safe button is first': {
    hash: () => `#/generations/${generation}`,
    opener: inMenu('More', 'Delete prompt and response…'),
    first: 'button Cancel',
    returned: 'button More',
  },
  'a new guardrail': {
    hash: () => '#/guardrails',
    opener: onButton('New guardrail'),
    first: 'input Name',
    returned: 'button New guardrail',
  },
  'a new destination': {
    hash: () => '#/destinations',
    opener: onButton('New destination'),
    first: 'select Type',
    returned: 'button New destination',
  },
  'a new video, where the prompt is first': {
    hash: () => '#/videos',
    opener: onButton('New video'),
    first: 'textarea Prompt',
    returned: 'button New video',
  },
  'saving a view': {
    hash: () => '#/generations?status=ok',
    opener: inMenu('Views', 'Save this view…'),
    first: 'input Name',
    returned: 'button Views',
  },
  'a comparison of models': {
    hash: () => '#/models?compare=demo/chat,demo/reasoner',
    opener: onButton(/^Compare/),
    first: 'button Close',
    returned: 'button Compare',
  },
  'a link in a text': {
    hash: () => `#/generations/${generation}`,
    opener: onButton('the terms'),
    first: 'button Copy address',
    returned: 'button the terms',
  },
};

describe.skipIf(skipped !== undefined)(
  `the focus of dialogs${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
      const messages = [{ role: 'user', content: 'Read [the terms](https://example.com/terms).' }];
      const sent = await ui.call('/api/v1/chat/completions', { key: API_KEY, body: { model: 'demo/chat', messages } });
      generation = sent.headers.get('x-generation-id') ?? '';
      await ui.call('/api/v1/keys', { body: { name: 'Tests' } });
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    test.each(Object.entries(CASES))(
      'goes into the dialog, stays in it, and returns to what opened it: %s',
      async (_, { hash, opener, first, returned }) => {
        const { page, problems } = await ui.open(hash());
        await opener(page);
        await opened(page);
        await expect.poll(() => focused(page)).toContain(first);
        for (const key of ['Tab', 'Shift+Tab']) {
          for (let count = 0; count < 30; count += 1) {
            await page.keyboard.press(key);
            expect(await page.evaluate(IS_WITHIN)).toBe(true);
          }
        }
        await page.keyboard.press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
        await expect.poll(() => focused(page)).toContain(returned);
        expect(problems).toEqual([]);
      },
    );

    test('lets a person find a screen, a model and a call by typing at once', async () => {
      const { page, problems } = await ui.open('#/');
      for (const [typed, heading] of [
        ['guardr', 'Guardrails'],
        ['destin', 'Destinations'],
      ] as const) {
        await page.keyboard.press('Control+k');
        await opened(page);
        await page.keyboard.type(typed);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      }
      await page.keyboard.press('Control+k');
      await opened(page);
      await page.keyboard.type('demo/reasoner');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Demo: Reasoner' }).waitFor();
      await page.keyboard.press('Control+k');
      await opened(page);
      await page.keyboard.type(generation);
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: 'Timeline' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('lets a person make and delete a key without the mouse', async () => {
      const { page, problems } = await ui.open('#/keys');
      await onButton('New key')(page);
      await opened(page);
      await page.keyboard.type('Typed at once');
      await page.keyboard.press('Enter');
      await page.getByTestId('new-key').waitFor();
      await expect.poll(() => focused(page)).toBe('button Copy key');
      await page.keyboard.press('Escape');
      await expect.poll(() => focused(page)).toBe('button New key');
      await inMenu('Actions for Typed at once', 'Delete…')(page);
      await opened(page);
      await expect.poll(() => focused(page)).toBe('button Cancel');
      await press(page, ['Tab', 'Enter']);
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
      expect(await page.getByRole('gridcell', { name: /Typed at once/ }).count()).toBe(0);
      // Its row is gone, and with it the button that had the focus.
      await expect.poll(() => focused(page)).toBe('grid Keys');
      expect(problems).toEqual([]);
    });

    test('stays on the button of a change that is refused, and the refusal goes with the change', async () => {
      const created = await ui.call('/api/v1/guardrails', { body: { name: 'Names' } });
      const { data } = (await created.json()) as { data: { id: string } };
      const { page } = await ui.open(`#/guardrails?open=${data.id}`);
      // A gateway that is further away: the page is drawn while the change is under way.
      await page.route(/\/guardrails\//, async (route) => {
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
        );
        await route.fallback();
      });
      await page.getByLabel('Blocked providers').click();
      await page.keyboard.type('nobody-knows');
      await page.keyboard.press('Enter');
      await onButton('Save')(page);
      const refusal = page.getByRole('alert').filter({ hasText: 'Not saved' });
      await refusal.waitFor();
      expect(await focused(page)).toBe('button Save');
      expect((await refusal.innerText()).split('nobody-knows')).toHaveLength(2);
      await onButton('Undo')(page);
      await refusal.waitFor({ state: 'detached' });
    });
  },
);
