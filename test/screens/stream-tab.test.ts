import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';

const API_KEY = 'sk-gw-v1-e2e-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
const PIECES = ['Rivers ', 'run\nto the ', '<img src=x onerror=alert(1)> ', 'sea\u202e, ', 'slowly.'];
/** Longer than the gateway takes pieces together. */
const PAUSE_MS = 60;

let ui: Ui;
let upstream: Server;
/** The response that is being streamed. */
let streaming: ServerResponse | undefined;
const ids = { streamed: '', whole: '' };

const toEvent = (delta: object, finishReason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

/** Streams what the test hands to `streaming`, or responds in one piece. */
async function startUpstream(): Promise<number> {
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => {
      if (body.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(toEvent({ reasoning: 'Where do rivers go?' }));
        streaming = response;
        return;
      }
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Lisbon.' } }];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'x', choices }));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  return (upstream.address() as AddressInfo).port;
}

const ask = (stream: boolean): Promise<Response> => {
  const messages = [{ role: 'user', content: 'Tell me of rivers' }];
  return ui.call('/api/v1/chat/completions', { key: API_KEY, body: { model: 'acme/chat', messages, stream } });
};

/** Each piece is sent when the one before has arrived, so that none can catch up with another. */
async function streamPieces(): Promise<string> {
  const response = await ask(true);
  const reader = response.body?.getReader();
  for (const content of PIECES) {
    await reader?.read();
    // The pause is what is to be recorded, in a process whose clock is its own.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    streaming?.write(toEvent({ content }));
  }
  await reader?.read();
  streaming?.end(`${toEvent({}, 'stop')}data: [DONE]\n\n`);
  while ((await reader?.read())?.done === false);
  return response.headers.get('x-generation-id') ?? '';
}

async function openStream(id: string, options: Parameters<Ui['open']>[1] = {}): Promise<UiPage> {
  const opened = await ui.open(`#/generations/${id}`, options);
  await opened.page.getByRole('radio', { name: 'Stream' }).click();
  return opened;
}

const partsOf = ({ page }: UiPage) => ({
  slider: page.getByRole('slider', { name: 'Moment of the response' }),
  text: page.getByRole('region', { name: 'The response at this moment' }),
  table: page.getByRole('grid', { name: 'Pieces of the response' }),
  play: page.getByRole('button', { name: 'Play', exact: true }),
});

describe.skipIf(skipped !== undefined)(
  `the stream of a completion in the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      const baseUrl = `http://127.0.0.1:${await startUpstream()}/v1`;
      const config = {
        auth: {
          bootstrapKeys: [
            { key: API_KEY, kind: 'api', name: 'dev' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
          ],
        },
        providers: [{ slug: 'here', wire: 'openai', baseUrl }],
        models: [{ id: 'acme/chat', endpoints: [{ provider: 'here', providerModel: 'm' }] }],
      };
      ui = await launchUi({ config, managementKey: MANAGEMENT_KEY });
      ids.streamed = await streamPieces();
      ids.whole = (await ask(false)).headers.get('x-generation-id') ?? '';
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      upstream?.close();
    });

    test('lists when each piece came, and shows the response of each moment, by mouse', async () => {
      const opened = await openStream(ids.streamed, { reducedMotion: 'reduce' });
      const { page, problems, check, screenshot } = opened;
      const { slider, text, table } = partsOf(opened);
      await table.waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        await setTheme(opened, colorScheme);
        await screenshot(`stream-${colorScheme}`);
        expect(await check()).toEqual([]);
      }
      expect(await table.getByRole('row').count()).toBe(PIECES.length + 3);
      expect(await table.getByText('longest').count()).toBe(1);
      expect(await table.getByRole('row').last().textContent()).toContain('end of response');
      expect(await table.getByRole('row', { name: 'run↵to the' }).getByRole('gridcell').nth(2).textContent()).toBe(
        '11',
      );
      // The whole at first; and none of it is more than text.
      expect(await text.textContent()).toBe(
        'Where do rivers go?Rivers run\nto the <img src=x onerror=alert(1)> sea‹U+202E›, slowly.',
      );
      expect(await text.locator('img').count()).toBe(0);

      await table.getByRole('row', { name: 'run↵to the' }).click();
      expect(await text.textContent()).toBe('Where do rivers go?Rivers run\nto the ');
      expect(await slider.getAttribute('aria-valuetext')).toContain(', 37 characters');
      await page.getByRole('button', { name: /^Longest gap/ }).click();
      await table.getByRole('row', { selected: true }).getByText('longest').waitFor();
      await slider.click({ position: { x: 1, y: 8 } });
      expect(await text.textContent()).toBe('Nothing received yet.');

      await page.setViewportSize({ width: 320, height: 700 });
      await table.scrollIntoViewIfNeeded();
      await screenshot('stream-narrow');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('has room beside the list', async () => {
      const { page, problems, check, screenshot } = await ui.open(`#/generations?open=${ids.streamed}`);
      await page.getByRole('radio', { name: 'Stream' }).click();
      await page.getByRole('grid', { name: 'Pieces of the response' }).waitFor();
      await screenshot('stream-beside');
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('goes from piece to piece by keyboard', async () => {
      const opened = await openStream(ids.streamed);
      const { page, problems } = opened;
      const { slider, text, table } = partsOf(opened);
      await slider.focus();
      await page.keyboard.press('Home');
      expect(await text.textContent()).toBe('Nothing received yet.');
      await page.keyboard.press('ArrowRight');
      expect(await text.textContent()).toBe('Where do rivers go?');
      await page.keyboard.press('ArrowRight');
      expect(await text.textContent()).toBe('Where do rivers go?Rivers ');
      await page.keyboard.press('ArrowLeft');
      expect(await text.textContent()).toBe('Where do rivers go?');
      await page.keyboard.press('End');
      expect(await text.textContent()).toContain('slowly.');
      await table.focus();
      await page.keyboard.press('Home');
      expect(await text.textContent()).toBe('Where do rivers go?');
      await page.keyboard.press('j');
      expect(await text.textContent()).toBe('Where do rivers go?Rivers ');
      await slider.focus();
      await page.keyboard.press(']');
      expect(await page.getByRole('tab', { name: 'Request and response' }).getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('[');
      await slider.waitFor();
      expect(problems).toEqual([]);
    });

    test('plays in the time it took, faster, or all at once', async () => {
      const opened = await ui.open(`#/generations/${ids.streamed}`, { hasClock: true });
      const { page, problems } = opened;
      const { slider, text, play } = partsOf(opened);
      await page.getByRole('radio', { name: 'Stream' }).click();
      await play.waitFor();
      await page.clock.pauseAt(Date.now() + 60_000);
      const duration = Number(await slider.getAttribute('max'));
      await play.press('Enter');
      expect(await slider.inputValue()).toBe('0');
      await page.clock.runFor(200);
      const shown = Number(await slider.inputValue());
      expect(shown).toBeGreaterThan(150);
      expect(shown).toBeLessThanOrEqual(200);
      await page.getByRole('button', { name: 'Pause' }).press('Enter');
      await page.clock.runFor(10_000);
      expect(Number(await slider.inputValue())).toBe(shown);

      await page.getByRole('radio', { name: '4×' }).press('Enter');
      await play.press('Enter');
      await page.clock.runFor(duration / 4);
      await play.waitFor();
      expect(await slider.inputValue()).toBe(String(duration));
      expect(await text.textContent()).toContain('slowly.');

      await slider.press('Home');
      await page.getByRole('radio', { name: 'Instant' }).press('Enter');
      await play.press('Enter');
      expect(await slider.inputValue()).toBe(String(duration));
      expect(problems).toEqual([]);
    });

    test('shows all at once where less motion is wanted', async () => {
      const opened = await openStream(ids.streamed, { reducedMotion: 'reduce' });
      const { slider, play } = partsOf(opened);
      expect(await opened.page.getByRole('radio', { name: 'Instant' }).getAttribute('aria-checked')).toBe('true');
      await slider.press('Home');
      expect(await slider.inputValue()).toBe('0');
      await play.click();
      expect(await slider.inputValue()).toBe(await slider.getAttribute('max'));
    });

    test('says why there is nothing to replay', async () => {
      const { page, problems, check, screenshot } = await openStream(ids.whole);
      await page.getByText('The response was not streamed').waitFor();
      expect(await check()).toEqual([]);
      await screenshot('stream-none');
      expect(problems).toEqual([]);

      const old = await ui.open(`#/generations/${ids.streamed}`);
      await old.page.route('**/timeline', (route) => route.fulfill({ json: { data: null } }));
      await old.page.getByRole('radio', { name: 'Stream' }).click();
      await old.page.getByText('No timing data').waitFor();
      expect(await old.check()).toEqual([]);
      expect(old.problems).toEqual([]);

      const forgotten = await streamPieces();
      const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
      const path = `/admin/v1/generations/${forgotten}`;
      expect((await fetch(ui.url + path, { method: 'DELETE', headers })).status).toBe(200);
      await (await openStream(forgotten)).page.getByText('Prompt and response are not stored').waitFor();
    });
  },
);
