import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { fillShowcase } from '../support/showcase/fill-showcase.ts';
import { toShowcaseConfig } from '../support/showcase/showcase-config.ts';
import { KEYS, MANAGEMENT_KEY } from '../support/showcase/showcase-people.ts';
import { type ShowcaseUpstream, startShowcaseUpstream } from '../support/showcase/start-showcase-upstream.ts';
import { launchUi, skipped, type Ui } from './launch-ui.ts';

const DOCS = readFileSync(fileURLToPath(new URL('../../docs/ui.md', import.meta.url)), 'utf8');

/** Clicks that the docs promise, by job. */
const PROMISED = new Map(
  [...DOCS.matchAll(/^\| ([^|]+) \| [^|]+ \| (\d+) \| [^|]+ \|$/gm)].map(([, job = '', clicks]) => [
    job,
    Number(clicks),
  ]),
);

/** Counts clicks of the mouse; those that a key makes have no detail. Reloads of the page go on counting. */
const COUNT_CLICKS = `addEventListener('click', ({ detail, isTrusted }) => {
  if (isTrusted && detail > 0) sessionStorage.setItem('clicks', 1 + Number(sessionStorage.getItem('clicks')));
}, true);`;

const CHOOSE_KEY = `sessionStorage.setItem('model-gateway.playground-key', '${KEYS.support}');`;

let ui: Ui;
let empty: Ui;
let upstream: ShowcaseUpstream;
let call = '';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Types where the focus is, once it is in the field of this label. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  const focused =
    'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.labels?.[0]?.textContent ?? null';
  await expect.poll(() => page.evaluate(focused)).toBe(label);
  await page.keyboard.type(text);
}

interface Job {
  readonly from: () => string;
  readonly isEmpty?: boolean;
  readonly act: (page: Page) => Promise<void>;
}

const JOBS: Readonly<Record<string, Job>> = {
  'the dearest call of today': {
    from: () => '#/generations',
    async act(page) {
      await button(page, 'Today').click();
      await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
      await page.getByRole('columnheader', { name: 'Cost' }).and(page.locator('[aria-sort=descending]')).waitFor();
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
      await page
        .getByRole('row', { name: /2 attempts/ })
        .first()
        .click();
      await page.getByText('Groq is overloaded').first().waitFor();
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
      await page
        .getByRole('row', { name: /Newsletter.*\$5/ })
        .first()
        .waitFor();
    },
  },
  'from no provider to a tested call': {
    from: () => '#/',
    isEmpty: true,
    async act(page) {
      await button(page, 'Add a provider').click();
      await typeInto(page, 'Search providers', 'another');
      await page.getByRole('button', { name: /^Another/ }).waitFor();
      await page.keyboard.press('Enter');
      await typeInto(page, 'Address', `${upstream.url}/own/v1`);
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'Models' }).waitFor();
      await button(page, 'Save').click();
      await button(page, 'Next').click();
      await button(page, /^Create a key named/).click();
      await button(page, /^Send/).click();
      await page.getByText('It works').waitFor();
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
  'a call again with another model': {
    from: () => `#/generations?open=${call}`,
    async act(page) {
      await button(page, 'Playground').click();
      await button(page, 'Model of column 2: openai/gpt-5.6-sol').click();
      await page.keyboard.type('kimi-k3');
      await page.keyboard.press('Control+Enter');
      const column = page.getByRole('region', { name: 'Column 2: moonshotai/kimi-k3' });
      await column.getByRole('status').getByText('ok', { exact: true }).waitFor();
    },
  },
};

describe.skipIf(skipped !== undefined)(
  `the common jobs${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      upstream = await startShowcaseUpstream();
      const config = toShowcaseConfig(upstream.url);
      const prepareData = (dir: string): Promise<void> => fillShowcase(dir, Date.now());
      [ui, empty] = await Promise.all([
        launchUi({ config, managementKey: MANAGEMENT_KEY, prepareData }),
        launchUi({ isEmpty: true }),
      ]);
      const ask = async (model: string, content: string, rest: object = {}): Promise<string> => {
        const body = { model, messages: [{ role: 'user', content }], ...rest };
        const response = await ui.call('/api/v1/chat/completions', { key: KEYS.support, body });
        await response.text();
        return response.headers.get('x-generation-id') ?? '';
      };
      call = await ask('openai/gpt-5.6-sol', 'Explain rate limits.');
      await ask('openai/gpt-oss-120b', 'Tell of the incident.', { provider: { order: ['groq', 'together'] } });
    }, 60_000);
    afterAll(async () => {
      await Promise.all([ui?.close(), empty?.close()]);
      upstream?.close();
    });

    test('are those of the table in the docs', () => {
      expect([...PROMISED.keys()]).toEqual(Object.keys(JOBS));
    });

    test.each(Object.entries(JOBS))('take no more clicks than the docs say: %s', async (name, job) => {
      const { page, problems } = await (job.isEmpty === true ? empty : ui).open(job.from(), {
        viewport: { width: 1440, height: 900 },
        // Not in the blank page before, which may keep nothing.
        initScript: `if (location.protocol === 'http:') {${job.isEmpty === true ? '' : CHOOSE_KEY}${COUNT_CLICKS}}`,
        ...(job.isEmpty !== true && { managementKey: MANAGEMENT_KEY }),
        permissions: ['clipboard-write'],
      });
      await job.act(page);
      const clicks = Number(await page.evaluate('sessionStorage.getItem("clicks")'));
      expect(clicks).toBeGreaterThan(0);
      expect(clicks).toBeLessThanOrEqual(PROMISED.get(name) ?? 0);
      expect(problems).toEqual([]);
    });
  },
);
