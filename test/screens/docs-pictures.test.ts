import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { untilDrawn } from '../e2e/examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { fillShowcase } from '../support/showcase/fill-showcase.ts';
import { keepPicture } from '../support/showcase/keep-picture.ts';
import { toShowcaseConfig } from '../support/showcase/showcase-config.ts';
import { hashOf, KEYS, MANAGEMENT_KEY } from '../support/showcase/showcase-people.ts';
import { type ShowcaseUpstream, startShowcaseUpstream } from '../support/showcase/start-showcase-upstream.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const WIDE = { width: 1360, height: 850 };
/** Not in the blank page before, which may keep nothing. */
const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${KEYS.website}')`;

let ui: Ui;
let upstream: ShowcaseUpstream;
const made = { incident: '', limits: '', guardrail: '', film: '' };

async function write<Body>(path: string, body: object, key = MANAGEMENT_KEY): Promise<Body> {
  const response = await ui.call(path, { body, key });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

/** Asks with a key and returns the id of the generation. */
async function chat(key: keyof typeof KEYS, model: string, content: string, rest: object = {}): Promise<string> {
  const body = { model, messages: [{ role: 'user', content }], ...rest };
  const response = await ui.call('/api/v1/chat/completions', { key: KEYS[key], body });
  await response.text();
  return response.headers.get('x-generation-id') ?? '';
}

async function makeGuardrails(): Promise<void> {
  const { data } = await write<{ data: { id: string } }>('/api/v1/guardrails', {
    name: 'Customer data',
    description: 'What the support bot must not hand on',
    content_filter_builtins: [
      { slug: 'credit-card', action: 'block' },
      { slug: 'email', action: 'redact' },
    ],
  });
  made.guardrail = data.id;
  const path = `/api/v1/guardrails/${data.id}/assignments/keys`;
  await write(path, { key_hashes: [hashOf(KEYS.support)] });
  await write('/api/v1/guardrails', { name: 'Europe only', allowed_data_regions: ['europe'] });
  await write('/api/v1/guardrails', { name: 'Interns', limit_usd: 20, reset_interval: 'monthly' });
  const models = ['deepseek/deepseek-v4-pro', 'anthropic/claude-sonnet-5', 'mistralai/mistral-large-2512'];
  for (const model of models) await chat('support', model, 'Write to ana@example.com that her order has left.');
  await chat('support', 'openai/gpt-5.6-sol', 'Charge 4111 1111 1111 1111 once more.');
}

async function makeCalls(): Promise<void> {
  const destination = { type: 'webhook', name: 'Warehouse', config: { url: `${upstream.url}/hook`, method: 'POST' } };
  await write('/api/v1/observability/destinations', destination);
  const film = { model: 'openai/sora-2', duration: 4, size: '1280x720' };
  const prompts = [
    'The sun goes down over a calm sea, the camera stands still',
    'A paper boat in the rain, seen from above',
  ];
  for (const prompt of prompts) {
    const { id } = await write<{ id: string }>('/api/v1/videos', { ...film, prompt }, KEYS.website);
    made.film ||= id;
  }
  made.limits = await chat('website', 'openai/gpt-5.6-sol', 'Explain rate limits in four lines.');
  await makeGuardrails();
  made.incident = await chat('support', 'openai/gpt-oss-120b', 'Write the status page entry for today’s incident.', {
    stream: true,
    provider: { order: ['groq', 'together'] },
  });
  // Groq is back.
  for (const title of ['a guide', 'a changelog'])
    await chat('website', 'openai/gpt-oss-120b', `Suggest a title for ${title}.`, GROQ);
  await chat('coding', 'anthropic/claude-sonnet-5', 'Why does the retry test fail only on Windows?', { stream: true });
}

const GROQ = { stream: true, provider: { order: ['groq'] } };

const isFilmDone = async (): Promise<string> => {
  const response = await ui.call(`/api/v1/videos/${made.film}`, { key: KEYS.website });
  return ((await response.json()) as { status: string }).status;
};

const open = (hash: string, options: Parameters<Ui['open']>[1] = {}): Promise<UiPage> =>
  ui.open(hash, {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
    ...options,
    managementKey: MANAGEMENT_KEY,
  });

async function keep({ page, problems, check }: UiPage, name: string, isPointing = false): Promise<void> {
  await page.getByText('today', { exact: true }).waitFor();
  await untilDrawn(page);
  await keepPicture(page, name, isPointing);
  expect(await check()).toEqual([]);
  expect(problems).toEqual([]);
}

const columnOf = (page: Page, at: number) => page.getByRole('region', { name: `Column ${at}:` });

/** A case of a set that a team would write for its support bot. */
function writeCase(dir: string, name: string, prompt: string, text: string): void {
  const folder = join(dir, 'support-bot', 'chat-completions', name);
  mkdirSync(folder, { recursive: true });
  const put = (file: string, value: object): void => writeFileSync(join(folder, file), JSON.stringify(value));
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }];
  put('request.json', { model: 'helper', messages: [SYSTEM, { role: 'user', content: prompt }] });
  put('response.json', { id: 'x', object: 'chat.completion', created: 1, model: 'helper', choices });
  put('meta.json', { synthetic: true, date: '2026-11-21', model: 'helper', status: 200 });
}

const SYSTEM = { role: 'system', content: 'You help the customers of a shop for bicycles. Be brief and friendly.' };

describe.skipIf(skipped !== undefined)(
  `the pictures of the docs${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      upstream = await startShowcaseUpstream();
      ui = await launchUi({
        config: toShowcaseConfig(upstream.url),
        managementKey: MANAGEMENT_KEY,
        prepareData: (dir) => fillShowcase(dir, Date.now()),
      });
      await makeCalls();
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      upstream?.close();
    });

    test('are all named in a page of the docs', () => {
      const pages = ['ui.md', 'desktop.md', '../README.md'].map((page) => readFileSync(join(DOCS, page), 'utf8'));
      const named = pages.flatMap((page) => [...page.matchAll(/images\/([\w-]+\.png)/g)].map(([, name = '']) => name));
      expect([...new Set(named)].toSorted()).toEqual(readdirSync(join(DOCS, 'images')).toSorted());
    });

    test('show the overview of a busy day', async () => {
      const opened = await open('#/');
      await opened.page.locator('.uplot').nth(3).waitFor();
      await keep(opened, 'overview');
    });

    test('show the models with prices, context and abilities', async () => {
      const opened = await open('#/models', { colorScheme: 'light' });
      await opened.page.getByRole('row').nth(9).waitFor();
      await keep(opened, 'models');
    });

    test('show a call that fell back, beside the list', async () => {
      const opened = await open(`#/generations?open=${made.incident}`, { viewport: WIDE });
      const { page } = opened;
      await page.getByRole('listbox', { name: 'Timeline of the request' }).waitFor();
      await page.locator('strong', { hasText: 'Status: resolved.' }).waitFor();
      await page.locator('.uplot').waitFor();
      await keep(opened, 'generation');
    });

    test('show when each piece of a stream came', async () => {
      const opened = await open(`#/generations/${made.incident}`, { viewport: WIDE, reducedMotion: 'reduce' });
      const { page } = opened;
      const axis = page.getByRole('listbox', { name: 'Timeline of the request' });
      await axis.getByRole('option', { name: /Warehouse/ }).waitFor();
      await page.getByRole('radio', { name: 'Stream' }).click();
      await page.getByRole('row').nth(3).waitFor();
      await axis.getByRole('option', { name: /^Stream/ }).hover({ position: { x: 20, y: 10 } });
      await page.getByText(/Longest gap: /).waitFor();
      await keep(opened, 'stream', true);
    });

    test('show three models side by side, and what differs', async () => {
      const opened = await open(`#/playground?from=${made.limits}`, { initScript: CHOOSE_KEY });
      const { page } = opened;
      await page.getByRole('button', { name: 'Model of column 2: openai/gpt-5.6-sol' }).click();
      await page.keyboard.type('sonnet-5');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Model', exact: true }).click();
      await page.keyboard.type('kimi-k3');
      await page.keyboard.press('Enter');
      await columnOf(page, 3).getByText('moonshotai/kimi-k3').waitFor();
      await page.keyboard.press('Control+Enter');
      for (const at of [2, 3]) await columnOf(page, at).getByRole('status').getByText('ok', { exact: true }).waitFor();
      await page.getByLabel('Show differences from').selectOption({ label: 'Differences from 1: openai/gpt-5.6-sol' });
      await columnOf(page, 3).getByRole('insertion').first().waitFor();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Now in one line, for a tooltip.');
      await page.getByText('Saved in this browser').waitFor();
      await keep(opened, 'playground');
    });

    test('show a film with its prompt and its cost', async () => {
      await expect.poll(isFilmDone, { timeout: 30_000 }).toBe('completed');
      const opened = await open(`#/videos?open=${made.film}`, { viewport: { width: 1360, height: 1000 } });
      const { page } = opened;
      await page
        .getByRole('region', { name: /^Video job/ })
        .locator('video')
        .waitFor();
      await page.evaluate(`new Promise((shown) => {
        const film = document.querySelector('video[controls]');
        film.addEventListener('seeked', () => shown(), { once: true });
        film.currentTime = 1.2;
      })`);
      await keep(opened, 'videos');
    });

    test('show a guardrail that finds something in a text', async () => {
      const opened = await open(`#/guardrails?open=${made.guardrail}`, { colorScheme: 'light' });
      const { page } = opened;
      await page.getByRole('tab', { name: 'Test' }).click();
      await page.getByLabel('Model', { exact: true }).selectOption('openai/gpt-5.6-sol');
      await page
        .getByLabel('Prompt', { exact: true })
        .fill('Please write to ana@example.com that her order has left, and copy ben@example.com.');
      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByText('It would be sent as').waitFor();
      await keep(opened, 'guardrails');
    });

    test('show a request for which there is no fixture, beside the nearest one', async () => {
      const dir = mkdtempSync(join(tmpdir(), 'support-bot-'));
      writeCase(dir, 'synthetic-returns', 'How long may I return gloves?', 'For 30 days.');
      writeCase(dir, 'synthetic-opening', 'When are you open on Saturdays?', 'From 10 to 16.');
      writeCase(dir, 'synthetic-sizes', 'Which frame fits a rider of 180 cm?', 'A frame of 56 cm.');
      const replaying = await launchUi({ fixtures: dir });
      try {
        const ask = async (content: string, rest: object = {}): Promise<void> => {
          const body = { model: 'support-bot/helper', messages: [SYSTEM, { role: 'user', content }], ...rest };
          await (await replaying.call('/api/v1/chat/completions', { key: API_KEY, body })).text();
        };
        await ask('When are you open on Saturdays?');
        await ask('Do you repair electric bicycles?');
        await ask('Which frame fits a rider of 165 cm?');
        for (let run = 0; run < 3; run += 1) await ask('How long may I return wheels?', { temperature: 0.2 });
        const opened = await replaying.open('#/fixtures?view=misses', { viewport: WIDE, colorScheme: 'dark' });
        const { page } = opened;
        await page.getByRole('row', { name: /wheels/ }).click();
        await page.getByText('absent', { exact: true }).waitFor();
        await keep(opened, 'fixtures');
      } finally {
        await replaying.close();
        rmSync(dir, { recursive: true, force: true });
      }
    });
  },
);
