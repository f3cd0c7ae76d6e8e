import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { seedSamples } from '../../packages/server/src/sample/seed-samples.ts';
import { fillShowcase } from '../support/showcase/fill-showcase.ts';
import { toShowcaseConfig } from '../support/showcase/showcase-config.ts';
import { KEYS, MANAGEMENT_KEY } from '../support/showcase/showcase-people.ts';
import { type ShowcaseUpstream, startShowcaseUpstream } from '../support/showcase/start-showcase-upstream.ts';
import { type Given, JOBS } from './job-acts.ts';
import { launchUi, skipped, type Ui } from './launch-ui.ts';

const DOCS = readFileSync(fileURLToPath(new URL('../../docs/ui.md', import.meta.url)), 'utf8');
const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));

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

/** What a job may take by the clock: the figure tells, and the clicks decide. */
const TIME_MS = 60_000;

describe.skipIf(skipped !== undefined)(
  `the common jobs${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: TIME_MS },
  () => {
    let company: Ui;
    let empty: Ui;
    let samples: Ui;
    let upstream: ShowcaseUpstream;
    let given: Given;
    const taken: string[] = [];

    const write = async (path: string, body: object, key = MANAGEMENT_KEY): Promise<Response> => {
      const response = await company.call(path, { key, body });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response;
    };
    const ask = async (model: string, content: string, rest: object = {}): Promise<string> => {
      const body = { model, messages: [{ role: 'user', content }], ...rest };
      const response = await write('/api/v1/chat/completions', body, KEYS.support);
      await response.text();
      return response.headers.get('x-generation-id') ?? '';
    };
    const readKeys = async () =>
      ((await (await company.call('/api/v1/keys')).json()) as { data: { name: string; usage_weekly: number }[] }).data;

    beforeAll(async () => {
      upstream = await startShowcaseUpstream();
      [company, empty, samples] = await Promise.all([
        launchUi({
          config: toShowcaseConfig(upstream.url),
          managementKey: MANAGEMENT_KEY,
          prepareData: (dir) => fillShowcase(dir, Date.now()),
        }),
        launchUi({ isEmpty: true }),
        launchUi({ prepareData: async (dir) => void (await seedSamples(dir, FIXTURES)) }),
      ]);
      const call = await ask('openai/gpt-5.6-sol', 'Explain rate limits.');
      await ask('openai/gpt-oss-120b', 'Tell of the incident.', { provider: { order: ['groq', 'together'] } });
      await write('/admin/v1/members', { user_id: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' });
      const spare = { slug: 'spare', name: 'Spare', wire: 'openai', baseUrl: `${upstream.url}/own/v1` };
      await write('/admin/v1/setup/providers', { ...spare, apiKey: 'sk-of-today' });
      const film = { model: 'openai/sora-2', prompt: 'A fox in the snow, at dusk', duration: 4 };
      await write('/api/v1/videos', film, KEYS.website);
      const dearestKey = async (): Promise<string> =>
        (await readKeys()).toSorted((one, two) => two.usage_weekly - one.usage_weekly)[0]?.name ?? '';
      given = { upstreamUrl: upstream.url, call, dearestKey };
    }, 120_000);
    afterAll(async () => {
      await Promise.all([company?.close(), empty?.close(), samples?.close()]);
      upstream?.close();
      console.log(taken.join('\n'));
    });

    test('are those of the table in the docs', () => {
      expect([...PROMISED.keys()]).toEqual(Object.keys(JOBS));
    });

    test.each(Object.entries(JOBS))('take no more clicks than the docs say: %s', async (name, { from, at, act }) => {
      const ui = at === undefined ? company : { empty, samples }[at];
      const { page, problems } = await ui.open(from(given), {
        viewport: { width: 1440, height: 900 },
        // Not in the blank page before, which may keep nothing.
        initScript: `if (location.protocol === 'http:') {${at === undefined ? CHOOSE_KEY : ''}${COUNT_CLICKS}}`,
        ...(at === undefined && { managementKey: MANAGEMENT_KEY }),
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const beganMs = performance.now();
      await act(page, given);
      const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
      const clicks = Number(await page.evaluate('sessionStorage.getItem("clicks")'));
      taken.push(`${clicks} of ${PROMISED.get(name)} clicks, ${seconds.padStart(4)} s: ${name}`);
      expect(clicks).toBeGreaterThan(0);
      expect(clicks).toBeLessThanOrEqual(PROMISED.get(name) ?? 0);
      expect(problems).toEqual([]);
    });
  },
);
