import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Generation } from '@model-gateway/core/wire';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';

const API_KEY = 'sk-gw-v1-times-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
/** Would turn a line around, and is markup. */
const HOSTILE = 'Gone‮<img src=x onerror=alert(1)>';
const PAUSE_MS = 250;
const WIDTHS = firstOrAll(480, 900, 1440);

let ui: Ui;
let upstream: Server;
/** 160 by 90 pixels of one colour. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAKAAAABaCAIAAACwpMoFAAAAoklEQVR42u3RAQ0AAAjDsJvDHfrQgw9oMgVrpkuHiwWABViABViABViAAQuwAAuwAAuwAAMWYAEWYAEWYAEWYMACLMACLMACLMCABViABViABViAAQuwAAuwAAuwAAswYAEWYAEWYAEWYMACLMACLMACLMCAXQAswAIswAIswAIMWIAFWIAFWIAFGLAAC7AAC7AAC7AAAxZgARZgARZgAf7VAj659yVV7KRZAAAAAElFTkSuQmCC';
const ids = { streamed: '', whole: '', film: '', job: '' };
/** Films that are asked for stay in progress while this is true. */
let endStream: () => void = () => undefined;
let isFilming = true;

const sendJson = (response: ServerResponse, body: object, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const toEvent = (delta: object, finishReason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

/** A provider that pauses in the middle of a stream, makes films, fails under `/gone`, and takes deliveries at `/hook`. */
async function startUpstream(): Promise<string> {
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => {
      const { url = '', method } = request;
      if (url.startsWith('/hook')) return void response.writeHead(200).end();
      if (url.startsWith('/gone')) return sendJson(response, { error: { message: 'Closed for repairs' } }, 503);
      if (url.includes('/videos')) {
        const status = method === 'POST' ? 'queued' : isFilming ? 'in_progress' : 'failed';
        const error = status === 'failed' ? { code: 'x', message: 'No fox came' } : null;
        return sendJson(response, { id: 'film-1', object: 'video', status, error });
      }
      if (!body.includes('"stream":true')) {
        const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Lisbon.' } }];
        return sendJson(response, { id: 'x', choices });
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(toEvent({ content: 'Rivers run ' }));
      endStream = () => response.end(`${toEvent({ content: 'to the sea.' })}${toEvent({}, 'stop')}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
}

const toConfig = (url: string): object => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: 'dev' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  },
  webhooks: { allowPrivateNetwork: true },
  providers: [
    { slug: 'gone', name: HOSTILE, wire: 'openai', baseUrl: `${url}/gone/v1` },
    ...['here', 'spare', 'dear'].map((slug) => ({ slug, name: slug, wire: 'openai', baseUrl: `${url}/v1` })),
  ],
  models: [
    {
      id: 'acme/chat',
      endpoints: ['gone', 'here', 'spare', 'dear'].map((provider) => ({ provider, providerModel: 'm' })),
    },
    {
      id: 'acme/film',
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['video'] },
      endpoints: [{ provider: 'here', providerModel: 'film' }],
    },
  ],
});

async function ask(stream: boolean): Promise<string> {
  const provider = { order: ['gone', 'here', 'spare'], ignore: ['dear'] };
  const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'Tell me of rivers' }], stream, provider };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  const reader = response.body?.getReader();
  let piece = await reader?.read();
  // The pause is what is to be seen, in a process whose clock is its own. It begins when the first piece is through.
  if (stream) setTimeout(() => endStream(), PAUSE_MS);
  while (piece?.done === false) piece = await reader?.read();
  return response.headers.get('x-generation-id') ?? '';
}

const picture = (page: Page): Locator => page.getByRole('listbox', { name: 'Timeline of the request' });
const details = (page: Page): Locator => page.getByRole('note', { name: 'Details' });
const row = (page: Page, name: RegExp): Locator => picture(page).getByRole('option', { name });
const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
const widthOf = async (locator: Locator): Promise<number> => (await boxOf(locator)).width;

async function openTimeline(id: string): Promise<UiPage> {
  const opened = await ui.open(`#/generations/${id}`, { viewport: { width: 1440, height: 900 } });
  await picture(opened.page).waitFor();
  return opened;
}

const TIMES = {
  call: { before_ms: { request: 0, guardrails: 0, routing: 0, rate_limits: 0 }, attempts_ms: [0, 100] },
  stream: { interval_ms: 20, gaps_ms: [200, 600], text: [11, 11] },
  arrivals: [],
};

/** The same call as if it had taken a second: two attempts of 100 ms each, and a gap from 220 to 800 ms. */
async function openTimed(): Promise<UiPage> {
  const opened = await ui.open('#/generations', { viewport: { width: 1440, height: 900 } });
  const { page, go } = opened;
  await page.route('**/call-timeline', (route) => route.fulfill({ json: { data: TIMES } }));
  const path = `/api/v1/generation?id=${ids.streamed}`;
  const { data } = (await (await ui.call(path)).json()) as { data: Generation };
  const attempts = data.provider_responses?.map((attempt) => ({ ...attempt, latency: 100 })) ?? null;
  const timed = { ...data, latency: 200, generation_time: 1000, provider_responses: attempts };
  await page.route(`**${path}`, (route) => route.fulfill({ json: { data: timed } }));
  await go(`#/generations/${ids.streamed}`);
  await picture(page).waitFor();
  return opened;
}

describe.skipIf(skipped !== undefined)(
  `a call on one time axis in the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      const url = await startUpstream();
      ui = await launchUi({ config: toConfig(url), managementKey: MANAGEMENT_KEY });
      const destination = { type: 'webhook', name: 'Archive', config: { url: `${url}/hook`, method: 'POST' } };
      await ui.call('/api/v1/observability/destinations', { body: destination });
      ids.whole = await ask(false);
      ids.streamed = await ask(true);
      const frame = {
        type: 'image_url',
        frame_type: 'first_frame',
        image_url: { url: PICTURE },
      };
      const film = { model: 'acme/film', prompt: 'A fox in the snow', frame_images: [frame] };
      const job = (await (await ui.call('/api/v1/videos', { key: API_KEY, body: film })).json()) as { id: string };
      ids.job = job.id;
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      upstream?.close();
    });

    test('shows every step of a call with its offset and duration, and the delivery when it has come', async () => {
      const { page, problems } = await openTimeline(ids.streamed);
      for (const name of [/^Request, /, /^Guardrails, /, /^Routing, /, /^Rate limits, /, /^Stream, /]) {
        await row(page, name).waitFor();
      }
      expect(
        await row(page, /^1\. Gone/)
          .locator('.sr-only')
          .textContent(),
      ).toMatch(/503, from \d+\sms, took/);
      const bars = (name: RegExp, kind: string) => row(page, name).locator(`[data-bar=${kind}]`);
      // The gaps of a stream come with its pieces, which are read after the call.
      await expect.poll(() => bars(/^Stream/, 'gap').count()).toBe(1);
      expect(await bars(/^2\. here, 200/, 'wait').count()).toBe(1);
      expect(await bars(/^2\. here, 200/, 'work').count()).toBe(1);
      expect(await page.locator('[data-marker="First token"]').count()).toBe(1);
      await row(page, /^To Archive, delivered/).waitFor();
      expect(problems).toEqual([]);
    });

    test('says why each endpoint was asked or not, as it was decided then', async () => {
      const { page, problems } = await openTimeline(ids.streamed);
      const endpoints = page.getByRole('list', { name: 'Endpoints' }).getByRole('listitem');
      const texts = await endpoints.allInnerTexts();
      expect(texts[0]).toMatch(/^Gone.*\n?[^]*called as attempt 1/);
      expect(texts[1]).toMatch(/^here[^]*called as attempt 2/);
      expect(texts[2]).toMatch(/^spare[^]*not called[^]*An earlier endpoint responded/);
      expect(texts[3]).toMatch(/^dear[^]*excluded[^]*ignore/);
      await page.getByText('in the order requested by the caller').waitFor();
      expect(problems).toEqual([]);
    });

    test('shows details of what the mouse points at, and zooms by drag and wheel', async () => {
      const { page, problems, screenshot } = await openTimed();
      const bar = row(page, /^1\. Gone/).locator('[data-bar]');
      await bar.hover();
      await details(page).getByText('is overloaded').waitFor();
      await row(page, /^Stream/)
        .locator('[data-bar=gap]')
        .hover();
      await details(page)
        .getByText(/Gap of \d+\sms, from/)
        .waitFor();

      const axis = await boxOf(page.locator('[data-axis]'));
      const y = axis.y + axis.height / 2;
      await page.mouse.move(axis.x + axis.width * 0.5, y);
      await page.mouse.down();
      await page.mouse.move(axis.x + axis.width * 0.75, y, { steps: 5 });
      await screenshot('timeline-dragging');
      await page.mouse.up();
      const reset = page.getByRole('button', { name: 'Reset zoom' });
      expect(await reset.isEnabled()).toBe(true);
      // The first attempt is before that span, which the gap fills.
      expect(await bar.count()).toBe(0);
      expect(await widthOf(row(page, /^Stream/).locator('[data-bar=gap]'))).toBeGreaterThan(axis.width * 0.8);
      await reset.click();
      expect(await reset.isDisabled()).toBe(true);
      const gap = row(page, /^Stream/).locator('[data-bar=gap]');
      const width = await widthOf(gap);

      const middle = await boxOf(gap);
      await page.mouse.move(middle.x + middle.width / 2, y);
      await page.mouse.wheel(0, -300);
      await expect.poll(() => widthOf(gap)).toBeGreaterThan(width);
      await page.mouse.wheel(0, 3000);
      await expect.poll(() => widthOf(gap)).toBe(width);
      // Elsewhere the wheel scrolls, unless Ctrl is held.
      await gap.hover();
      await page.mouse.wheel(0, -300);
      expect(await widthOf(gap)).toBe(width);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -300);
      await page.keyboard.up('Control');
      await expect.poll(() => widthOf(gap)).toBeGreaterThan(width);
      expect(problems).toEqual([]);
    });

    test('is walked and zoomed by keys, with the details of the current step', async () => {
      const { page, problems, screenshot } = await openTimed();
      await picture(page).focus();
      await details(page).getByText('The request was read and validated').waitFor();
      await page.keyboard.press('ArrowDown');
      await details(page)
        .getByText(/^Guardrails/)
        .waitFor();
      expect(await row(page, /^Guardrails/).getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('End');
      await page.keyboard.press('Home');
      await details(page).getByText('The request was read and validated').waitFor();
      const gap = row(page, /^Stream/).locator('[data-bar=gap]');
      const before = await boxOf(gap);
      await page.keyboard.press('+');
      await expect.poll(() => widthOf(gap)).toBeGreaterThan(before.width);
      const early = row(page, /^1\. Gone/).locator('[data-bar]');
      expect(await early.count()).toBe(0);
      for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press('ArrowLeft');
      await expect.poll(() => early.count()).toBe(1);
      await screenshot('timeline-keys');
      await page.keyboard.press('0');
      await expect.poll(() => widthOf(gap)).toBe(before.width);
      // The keys of the page go on working from here.
      await page.keyboard.press('j');
      await expect.poll(() => page.url()).toContain(ids.whole);
      expect(problems).toEqual([]);
    });

    test('keeps its tab in the address, under its former names too, also while the list is walked', async () => {
      const { page, problems, go } = await ui.open(`#/generations/${ids.streamed}?tab=timing`);
      const selected = page.getByRole('tab', { selected: true });
      expect(await page.getByRole('tab').allTextContents()).toEqual([
        'Timeline',
        'Request and response',
        'Usage and cost',
        'Raw',
      ]);
      expect(await selected.textContent()).toBe('Usage and cost');
      await page.getByRole('tab', { name: 'Raw' }).click();
      expect(page.url()).toContain('tab=raw');
      await page.keyboard.press('j');
      await expect.poll(() => page.url()).toContain(ids.whole);
      expect(await selected.textContent()).toBe('Raw');
      await go(`#/generations?open=${ids.streamed}&tab=stream`);
      await page.getByRole('slider', { name: 'Moment of the response' }).waitFor();
      expect(await selected.textContent()).toBe('Timeline');
      await page.keyboard.press('j');
      await page.getByText('The response was not streamed').waitFor();
      await page.getByRole('radio', { name: 'Conversation' }).click();
      await page.getByText('Lisbon.').first().waitFor();
      expect(page.url()).not.toContain('tab=');
      expect(problems).toEqual([]);
    });

    test('says the same as a list, which narrow windows begin with', async () => {
      const { page, problems } = await openTimeline(ids.streamed);
      await page.getByRole('radio', { name: 'List' }).click();
      const list = page.getByRole('list', { name: 'Timeline of the request, as a list' });
      const text = await list.innerText();
      expect(text).toMatch(
        /1\. Gone[^]*503 · at \d+\sms, took[^]*is overloaded[^]*2\. here · 200[^]*Stream[^]*Longest gap/,
      );
      // What would hide or act is shown.
      expect(text).toContain('Gone‹U+202E›<img src=x onerror=alert(1)>');
      expect(await page.locator('main img').count()).toBe(0);
      await page.setViewportSize({ width: 480, height: 900 });
      await page.reload();
      await list.waitFor();
      await page.getByRole('radio', { name: 'Chart' }).click();
      await picture(page).waitFor();
      expect(problems).toEqual([]);
    });

    test.each(WIDTHS)('can be used by everyone %i pixels wide, dark and light', async (width) => {
      const opened = await ui.open(`#/generations/${ids.streamed}`, { viewport: { width, height: 900 } });
      const { page, problems, check, screenshot } = opened;
      for (const form of ['List', 'Chart']) {
        await page.getByRole('radio', { name: form }).click();
        await page.getByRole('list', { name: 'Endpoints' }).waitFor();
        for (const colorScheme of ['dark', 'light'] as const) {
          await setTheme(opened, colorScheme);
          await screenshot(`timeline-${form}-${width}-${colorScheme}`);
          expect(await check()).toEqual([]);
        }
      }
      for (const tab of ['Request and response', 'Usage and cost']) {
        await page.getByRole('tab', { name: tab }).click();
        await screenshot(`timeline-${tab.slice(0, 5)}-${width}`);
        expect(await check()).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(problems).toEqual([]);
    });

    test('stands beside the list', async () => {
      const opened = await ui.open(`#/generations?open=${ids.streamed}`, { viewport: { width: 1440, height: 900 } });
      const { page, problems, check, screenshot } = opened;
      await picture(page).waitFor();
      await page.getByText('to the sea.').first().waitFor();
      await setTheme(opened, 'light');
      await screenshot('timeline-beside');
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('shows a call without recorded times as far as its record goes', async () => {
      const opened = await ui.open('#/generations');
      const { page, problems, check } = opened;
      await page.route('**/call-timeline', (route) =>
        route.fulfill({ json: { data: { call: null, stream: null, arrivals: [] } } }),
      );
      await page.goto(`${ui.url}/ui/#/generations/${ids.streamed}`);
      await row(page, /^2\. here/).waitFor();
      await page.getByText('Some timings aren’t available').waitFor();
      expect(await check()).toEqual([]);
      await page.route('**/call-timeline', (route) =>
        route.fulfill({ status: 500, json: { error: { message: 'No' } } }),
      );
      await page.reload();
      await page.getByText('The times could not be loaded').waitFor();
      await page.getByText('to the sea.').first().waitFor();
      expect(problems.filter((problem) => !problem.includes('500'))).toEqual([]);
    });

    test('shows a film with its prompt, its picture and its polls while it is made, and how it ended', async () => {
      const opened = await ui.open(`#/videos?open=${ids.job}`, { viewport: { width: 1440, height: 1200 } });
      const { page, problems, check, screenshot } = opened;
      const panel = page.getByRole('region', { name: /^Video job/ });
      await panel.getByText('A fox in the snow').waitFor();
      await panel.getByRole('img', { name: 'The prompt’s first frame' }).waitFor();
      const film = panel.getByRole('listbox', { name: 'Timeline of the job' });
      await film.getByRole('option', { name: /^Polls, \d/ }).waitFor({ timeout: 30_000 });
      await film.getByRole('option', { name: /^Status, in progress/ }).waitFor({ timeout: 30_000 });
      for (const colorScheme of ['dark', 'light'] as const) {
        await setTheme(opened, colorScheme);
        await screenshot(`timeline-film-open-${colorScheme}`);
        expect(await check()).toEqual([]);
      }
      isFilming = false;
      await film.getByRole('option', { name: /^Status, failed/ }).waitFor({ timeout: 60_000 });
      await panel.getByText('A fox in the snow').waitFor();
      await panel.getByRole('img', { name: 'The prompt’s first frame' }).waitFor();
      await film.getByRole('option', { name: /^To Archive, delivered/ }).waitFor({ timeout: 30_000 });
      await film
        .getByRole('option', { name: /^Polls/ })
        .locator('[data-bar]')
        .first()
        .hover();
      await panel
        .getByRole('note', { name: 'Details' })
        .getByText(/^Poll: (pending|in progress|failed), from/)
        .waitFor();
      await screenshot('timeline-film-ended');
      await panel.getByRole('link', { name: /^gen-/ }).click();
      await page.getByRole('listbox', { name: 'Timeline of the job' }).waitFor();
      await page.getByText('No fox came').first().waitFor();
      await screenshot('timeline-film-generation');
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });
  },
);
