import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

import { typeInto } from './hand.ts';

/** What was there before somebody came to do a job. */
export interface Given {
  /** Where models of one's own are served. */
  readonly upstreamUrl: string;
  /** The id of a call that ended well. */
  readonly call: string;
  /** The key that has spent most this week, by its name. */
  readonly dearestKey: () => Promise<string>;
}

interface Job {
  readonly from: (given: Given) => string;
  /** Which gateway: that of a small company, one with nothing in it, or the demo with its samples. Default: the first. */
  readonly at?: 'empty' | 'samples';
  readonly act: (page: Page, given: Given) => Promise<void>;
}

const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const rowOf = (page: Page, name: string | RegExp) => page.getByRole('row', { name }).first();

/** Rows of the list without that of the heads. */
const rowTexts = async (page: Page): Promise<string[]> =>
  (await page.getByRole('grid').getByRole('row').allInnerTexts()).slice(1);

/** A menu of the system opens by one click and takes another, neither of which a test can make. */
async function chooseByMouse(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label).selectOption({ label: option });
  await page.evaluate("sessionStorage.setItem('clicks', 2 + Number(sessionStorage.getItem('clicks')))");
}

const sortBy = async (page: Page, head: string): Promise<void> => {
  await page.getByRole('columnheader', { name: head }).getByRole('button').click();
  await page.getByRole('columnheader', { name: head }).and(page.locator('[aria-sort=descending]')).waitFor();
};

async function toColumnsDone(page: Page, count: number): Promise<void> {
  const columns = page.getByRole('region', { name: /^Column \d/ });
  await expect.poll(() => columns.count()).toBe(count);
  for (let at = 0; at < count; at += 1)
    await columns.nth(at).getByRole('status').getByText('ok', { exact: true }).waitFor();
}

/** Takes another model for the second column of a replay, and sends to it. */
async function replayElsewhere(page: Page, model: string): Promise<void> {
  await button(page, /^Model of column 2:/).click();
  await page.keyboard.type(model);
  await page.keyboard.press('Control+Enter');
  const column = page.getByRole('region', { name: new RegExp(`^Column 2: .*${model}`) });
  await column.getByRole('status').getByText('ok', { exact: true }).waitFor();
}

/** The jobs of the table in docs/ui.md, each as far as somebody sees that it is done. */
export const JOBS: Readonly<Record<string, Job>> = {
  "today's most expensive call": {
    from: () => '#/generations',
    async act(page) {
      await button(page, 'Today').click();
      await sortBy(page, 'Cost');
      const toDollars = async (): Promise<number[]> => {
        const texts = await page
          .getByRole('row')
          .getByText(/^\$[\d.]+\s*$/)
          .allInnerTexts();
        return texts.map((text) => Number(text.slice(1)));
      };
      // The rows of before stay until the sorted ones are loaded.
      const isSorted = async (): Promise<boolean> => {
        const costs = await toDollars();
        return (costs[0] ?? 0) > 0 && costs.every((cost, at) => at === 0 || cost <= (costs[at - 1] ?? 0));
      };
      await expect.poll(isSorted).toBe(true);
    },
  },
  'why a call fell back': {
    from: () => '#/generations',
    async act(page) {
      await rowOf(page, /2 attempts/).click();
      await page.getByText('Groq is overloaded').first().waitFor();
    },
  },
  'the key that spends most this week': {
    from: () => '#/keys',
    async act(page, { dearestKey }) {
      await sortBy(page, 'This week');
      const dearest = await dearestKey();
      await expect.poll(async () => (await rowTexts(page))[0]).toContain(dearest);
    },
  },
  'a key with a limit': {
    from: () => '#/keys',
    async act(page) {
      await button(page, 'New key').click();
      await typeInto(page, 'Name', 'Newsletter');
      await page.keyboard.press('Tab');
      await typeInto(page, 'Limit in USD', '5');
      await button(page, 'Create key').click();
      await page.getByTestId('new-key').waitFor();
      await button(page, 'Copy key').click();
      await page.keyboard.press('Escape');
      await rowOf(page, /Newsletter.*\$5/).waitFor();
    },
  },
  'a model blocked for a member': {
    from: () => '#/members',
    async act(page) {
      await rowOf(page, /Ada Lovelace/).click();
      await button(page, 'New guardrail for this member').click();
      await typeInto(page, 'Name', '');
      await page.keyboard.press('Tab');
      await page.keyboard.type('kimi-k3');
      await page
        .getByRole('option', { name: /kimi-k3/ })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');
      await button(page, 'Create guardrail').click();
      await page.getByRole('link', { name: 'Open guardrail' }).waitFor();
    },
  },
  'two models compared on a prompt': {
    from: () => '#/playground',
    async act(page) {
      await page.getByLabel('Message', { exact: true }).click();
      await typeInto(page, 'Message', 'Explain rate limits.');
      await button(page, 'Model').click();
      await page.keyboard.type('kimi-k3');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: /^Column 2: .*kimi-k3/ }).waitFor();
      await button(page, /^Send\b/).click();
      await toColumnsDone(page, 2);
    },
  },
  'a failed call of yesterday with another model': {
    from: () => '#/generations',
    async act(page) {
      await page.keyboard.press('/');
      await page.keyboard.type('status:failed');
      await page.keyboard.press('Enter');
      await button(page, 'Yesterday').click();
      const areFailed = async (): Promise<boolean> => {
        const texts = await rowTexts(page);
        return texts.length > 0 && texts.every((text) => text.includes('failed'));
      };
      await expect.poll(areFailed).toBe(true);
      await rowOf(page, /failed/).click();
      await button(page, 'Playground').waitFor();
      await page.keyboard.press('r');
      await replayElsewhere(page, 'kimi-k3');
    },
  },
  'all calls of a session': {
    from: () => '#/generations',
    async act(page) {
      await page.getByRole('main').getByRole('link', { name: 'Sessions' }).click();
      await rowOf(page, /opencode-/).click();
      await page.getByRole('link', { name: 'List its requests' }).waitFor();
      await page.getByRole('article', { name: 'Request 1', exact: true }).waitFor();
    },
  },
  'the calls as CSV': {
    from: () => '#/generations',
    async act(page) {
      await button(page, 'Actions').click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
      expect((await download).suggestedFilename()).toBe('generations.csv');
    },
  },
  'what caches saved this week': {
    from: () => '#/',
    at: 'samples',
    async act(page) {
      await page.getByRole('radio', { name: '7 d' }).click();
      await page.getByRole('heading', { name: 'Last 7 days' }).waitFor();
      const saved = page.locator('dl > div', { has: page.getByText('Saved by cache', { exact: true }) });
      await saved.getByText(/^\$\d/).waitFor();
    },
  },
  'a film, seen and saved': {
    from: () => '#/videos',
    async act(page) {
      await rowOf(page, /A fox in the snow/).click();
      // It may be under way still: the gateway looks at it from time to time, and the panel follows.
      const link = page.getByRole('link', { name: /^Download/ });
      await link.waitFor();
      const download = page.waitForEvent('download');
      await link.click();
      expect((await download).suggestedFilename()).toMatch(/\.mp4$/);
    },
  },
  'a guardrail, assigned and tried on earlier calls': {
    from: () => '#/guardrails',
    async act(page) {
      // An empty list offers it, too.
      await button(page, 'New guardrail').first().click();
      await page.keyboard.type('No cards');
      await page.keyboard.press('Tab');
      await page.keyboard.type('supp');
      await page.getByRole('option', { name: /Support bot/ }).waitFor();
      await page.keyboard.press('Enter');
      await button(page, 'Create guardrail').click();
      await page.getByRole('heading', { name: 'No cards' }).waitFor();
      await button(page, 'Dry run').click();
      await page.getByText(/would be blocked/).waitFor();
    },
  },
  'another key for a provider': {
    from: () => '#/providers',
    async act(page) {
      await rowOf(page, /Spare/).click();
      await page.getByLabel('Key', { exact: true }).click();
      await page.keyboard.type('sk-of-tomorrow');
      await page.keyboard.press('Enter');
      await page.getByText('Spare saved').first().waitFor();
    },
  },
  'a provider disabled now': {
    from: () => '#/providers',
    async act(page) {
      await button(page, 'Disable Spare').click();
      await page.getByText('Spare disabled').first().waitFor();
      await rowOf(page, /Spare.*Disabled/).waitFor();
    },
  },
  'why prompts missed the cache, and what that cost': {
    from: () => '#/',
    async act(page) {
      const section = page.getByRole('region', { name: 'Prompt cache', exact: true });
      await section.getByRole('button', { name: 'Find the causes' }).click();
      await section
        .getByText(/requests? examined$|No stored request missed/)
        .first()
        .waitFor();
    },
  },
  'the rate limits': {
    from: () => '#/',
    async act(page) {
      await page.getByRole('link', { name: 'Settings' }).first().click();
      await page.getByRole('link', { name: 'Account', exact: true }).click();
      await page.getByRole('region', { name: 'Rate limits' }).getByRole('button').first().waitFor();
    },
  },
  'the p95 of durations by provider in a week': {
    from: () => '#/',
    async act(page) {
      await page.getByRole('radio', { name: '7 d' }).click();
      await chooseByMouse(page, 'Split by', 'Provider');
      const table = page.getByRole('table', { name: 'Figures by provider' });
      await table.getByRole('columnheader', { name: /p95/ }).waitFor();
      await table.getByRole('row', { name: /Anthropic.* (?:ms|s)\b/ }).waitFor();
    },
  },
  'from no provider to a tested call': {
    from: () => '#/',
    at: 'empty',
    async act(page, { upstreamUrl }) {
      await button(page, 'Add a provider').click();
      await typeInto(page, 'Search providers', 'another');
      await page.getByRole('button', { name: /^Another/ }).waitFor();
      await page.keyboard.press('Enter');
      await typeInto(page, 'Address', `${upstreamUrl}/own/v1`);
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'Models' }).waitFor();
      await button(page, 'Save').click();
      await button(page, 'Next').click();
      await button(page, /^Create a key named/).click();
      await button(page, /^Send/).click();
      await page.getByText('It works').waitFor();
    },
  },
  'a tool connected': {
    from: () => '#/connect',
    async act(page) {
      await button(page, /^opencode/).click();
      await button(page, /^Create key/).click();
      await button(page, 'Copy').first().click();
      const settings = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as {
        provider: { 'model-gateway': { options: { baseURL: string; apiKey: string } } };
        model: string;
      };
      const { baseURL, apiKey } = settings.provider['model-gateway'].options;
      const model = settings.model.replace('model-gateway/', '');
      await fetch(`${baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
      });
      await page.getByText('opencode is connected').waitFor();
    },
  },
  'a call again with another model': {
    from: ({ call }) => `#/generations?open=${call}`,
    async act(page) {
      await button(page, 'Playground').click();
      await replayElsewhere(page, 'kimi-k3');
    },
  },
};
