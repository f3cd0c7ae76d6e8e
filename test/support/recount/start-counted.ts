import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { createGateway, type Gateway, type Provider } from '@model-gateway/core';
import { createJsonFileStore, createNodePlatform, listen } from '@model-gateway/node';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import { createGuardrailHits } from '../../../packages/core/src/guardrails/hits.ts';
import { toGuardrail, toVideoJob } from '../../../packages/core/testing/rows.ts';
import { serveUi } from '../../../packages/server/src/ui/serve-ui.ts';
import { launchBrowser } from '../../e2e/launch-ui.ts';
import { createBroadcastOptions } from '../broadcast/broadcast-options.ts';
import { toKey } from '../stores/generation-records.ts';
import { groupBy } from './count-calls.ts';
import {
  ALL_CALLS,
  DAY_MS,
  GUARDRAIL,
  KEYS,
  MEMBERS,
  MODELS,
  NOW,
  PROVIDERS,
  toCallContent,
  toCallRecord,
  VIDEOS,
} from './random-calls.ts';
import { storeDeliveries } from './random-deliveries.ts';

const UI = fileURLToPath(new URL('../../../packages/ui/bundle/', import.meta.url));
/** For calls of the playground. */
export const API_KEY = 'sk-recount-api';
const MANAGEMENT_KEY = 'sk-recount-management';
const DEFAULT_WORKSPACE = '00000000-0000-4000-8000-000000000000';
/** Room for every row and column of a list. */
const VIEWPORT = { width: 2000, height: 2600 };

/** A gateway whose clock stands still, with all calls in its store and a browser in front of it. */
export interface Counted {
  /** A page in a zone, at the same moment. Its times are those of the zone unless it is set to UTC. */
  open(timezoneId: string, setting?: 'utc'): Promise<CountedPage>;
  close(): Promise<void>;
}

export interface CountedPage {
  readonly page: Page;
  readonly go: (hash: string) => Promise<void>;
  /** Waits until what the page shows is what was counted, and notes how many numbers that were. */
  readonly compare: (screen: string, read: () => Promise<unknown>, counted: unknown) => Promise<void>;
}

/** What each new call uses, and what that costs at a millionth of a dollar in, and two out. */
export const USAGE = { prompt_tokens: 12_345, completion_tokens: 678 };
export const USAGE_NANO_USD = 12_345 * 1000 + 678 * 2000;

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

const toProvider = ({ slug, name }: (typeof PROVIDERS)[number]): Provider => ({
  slug,
  name,
  dataPolicy: { training: null, retainsPrompts: null },
  async *chat() {
    yield [
      {
        choices: [{ index: 0, delta: { content: 'Counted.' }, finish_reason: 'stop', native_finish_reason: 'stop' }],
        usage: { ...USAGE, total_tokens: USAGE.prompt_tokens + USAGE.completion_tokens },
      },
    ];
  },
});

/**
 * Stores all calls, by a clock that goes along with them: files are of the day in which they are written, and retention
 * deletes whole ones that are closed.
 */
async function storeCalls(dir: string): Promise<void> {
  let nowMs = ALL_CALLS[0]?.atMs ?? NOW;
  const store = await createJsonFileStore({ dir, now: () => nowMs, retentionDays: 60, trustsClock: true });
  for (const calls of groupBy(ALL_CALLS, ({ atMs }) => Math.floor(atMs / DAY_MS)).values()) {
    nowMs = calls[0]?.atMs ?? nowMs;
    await Promise.all(calls.map((call) => store.generations.append(toCallRecord(call), toCallContent(call))));
  }
  await store.close();
}

/** Starts it. The numbers of each screen that were compared are added to `compared`. */
export async function startCounted(compared: Map<string, number>): Promise<Counted> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-recount-'));
  const now = (): number => NOW;
  await storeCalls(dir);
  const store = await createJsonFileStore({ dir, now, retentionDays: 60, trustsClock: true });
  for (const { hash, name, limitUsd, limitReset, countsByok, member } of KEYS) {
    if (name === null) continue;
    const limit = { limitUsd, limitReset, includeByokInLimit: countsByok };
    await store.keys.insert(toKey(hash, { name, ...limit, creatorUserId: member, workspaceId: DEFAULT_WORKSPACE }));
  }
  await storeDeliveries(store);
  await store.guardrails.insert(toGuardrail(GUARDRAIL, { name: 'House rules' }));
  for (const { id, atMs, tookMs, nanoUsd } of VIDEOS) {
    const ended = { status: 'completed', createdAt: atMs, updatedAt: atMs + tookMs, costNanoUsd: nanoUsd } as const;
    await store.videoJobs.insert(toVideoJob(id, { ...ended, principalId: KEYS[0].hash, reservedNanoUsd: 0 }));
  }
  const platform = { ...createNodePlatform(), now };
  // As the gateway does with each call that it records.
  const hits = createGuardrailHits({ store, platform, logger });
  for (const call of ALL_CALLS) await hits.noteRecorded(toCallRecord(call));
  await hits.save();
  const gateway = createGateway({
    providers: PROVIDERS.map(toProvider),
    models: MODELS.map((id) => ({
      id,
      endpoints: PROVIDERS.map(({ slug }) => ({
        provider: slug,
        providerModel: id,
        pricing: { prompt: '0.000001', completion: '0.000002' },
      })),
    })),
    store,
    platform,
    broadcast: createBroadcastOptions(),
    bootstrapKeys: [
      { key: MANAGEMENT_KEY, kind: 'management', name: 'recount' },
      { key: API_KEY, kind: 'api', name: 'new calls' },
    ],
    logger,
  });
  await gateway.start();
  const listener = await listen(withUi(gateway), { port: 0, logger });
  const { url } = listener;
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' };
  for (const { id, name } of MEMBERS) {
    const body = JSON.stringify({ user_id: id, name, role: 'member' });
    const response = await fetch(`${url}/admin/v1/members`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
  }
  const browser = await launchBrowser();
  return {
    async open(timezoneId, setting) {
      const context = await browser.newContext({ viewport: VIEWPORT, timezoneId });
      await context.request.post(`${url}/admin/v1/session`, { data: { key: MANAGEMENT_KEY } });
      if (setting !== undefined) {
        const kept = JSON.stringify(JSON.stringify({ zone: setting }));
        await context.addInitScript(`localStorage.setItem('model-gateway.preferences', ${kept})`);
      }
      const page = await context.newPage();
      // From the start: what was asked for at another time would be shown until it is asked for again.
      await page.clock.install({ time: NOW });
      await page.clock.setFixedTime(NOW);
      await page.goto(`${url}/ui/#/connect`);
      return {
        page,
        // Within the page, as people do: it is loaded once.
        go: (hash) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`),
        async compare(screen, read, counted) {
          // All that differs is told, not the first alone.
          const isEqual = await expect
            .poll(async () => isDeepStrictEqual(await read(), counted), { timeout: 30_000, interval: 100 })
            .toBe(true)
            .then(
              () => true,
              () => false,
            );
          if (!isEqual)
            expect
              .soft(await read(), `${screen} in ${timezoneId}${setting === undefined ? '' : ', set to UTC'}`)
              .toEqual(counted);
          compared.set(screen, (compared.get(screen) ?? 0) + countNumbers(counted));
        },
      };
    },
    async close() {
      await browser.close();
      await gateway.close();
      await listener.close();
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const withUi = (gateway: Gateway): Gateway => ({
  ...gateway,
  handle: (request) => (request.path.startsWith('/ui') ? serveUi(request, UI) : gateway.handle(request)),
});

/** Texts with a digit in them. */
function countNumbers(counted: unknown): number {
  if (typeof counted === 'string') return /\d/.test(counted) ? 1 : 0;
  return Array.isArray(counted) ? counted.reduce<number>((total, part) => total + countNumbers(part), 0) : 0;
}

/** Text as it is read: the spaces that fill up columns are no part of it. */
const CLEAN = String.raw`(text) => text.replace(/[\u2007\u2008]/g, '').replace(/\s+/g, ' ').trim()`;

/** The texts of the cells of all that a selector finds within another, row by row. */
export const readCells = (page: Page, rows: string, cells: string): Promise<string[][]> =>
  page.evaluate(`(() => {
    const clean = ${CLEAN};
    return [...document.querySelectorAll(${JSON.stringify(rows)})].map((row) =>
      [...row.querySelectorAll(${JSON.stringify(cells)})].map((cell) => clean(cell.textContent)));
  })()`);

/** The rows of a list that is drawn as a grid, without those of its head; the columns of these places. */
export async function readGrid(page: Page, columns: readonly number[]): Promise<string[][]> {
  const rows = await readCells(page, '[role=grid] [role=rowgroup] [role=row]', '[role=gridcell]');
  return rows.map((row) => columns.map((at) => row[at] ?? ''));
}

/** The names of facts and what stands beside them. */
export const readFacts = (page: Page, within: string): Promise<string[][]> =>
  readCells(page, `${within} dl > div`, 'dt, dd');

export const readText = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`(${CLEAN})(document.querySelector(${JSON.stringify(selector)})?.textContent ?? '')`);
