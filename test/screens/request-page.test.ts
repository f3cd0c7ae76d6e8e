import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { CallTimelineReport, Generation } from '@model-gateway/core/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';

const API_KEY = 'sk-gw-v1-page-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
const SESSION = '0f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a';
const WIDTHS = firstOrAll(480, 1440);
const QUESTION = 'Why does the retry test fail only on Windows?';

const USAGE = {
  prompt_tokens: 12_400,
  completion_tokens: 320,
  total_tokens: 12_720,
  prompt_tokens_details: { cached_tokens: 9000 },
  completion_tokens_details: { reasoning_tokens: 120 },
};
const PRICING = {
  prompt: '0.000003',
  completion: '0.000015',
  input_cache_read: '0.0000003',
  internal_reasoning: '0.00002',
};
/** 3,400 × $3 + 9,000 × $0.30 + 200 × $15 + 120 × $20, all a million. */
const COST = '$0.0183';

/** Not in the blank page before, which may keep nothing. */
const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${API_KEY}')`;

let ui: Ui;
let upstream: Server;
const ids = { whole: '', broken: '' };

const sendWhole = (response: ServerResponse, message: object, usage = USAGE): void => {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: null, ...message } }];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ id: 'x', choices, usage: { ...usage } }));
};

/** Calls a tool until it has a result, and breaks streams off. */
async function startUpstream(): Promise<string> {
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => {
      if (body.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const choices = [{ index: 0, delta: { content: 'The clock of ' }, finish_reason: null }];
        return void response.write(`data: ${JSON.stringify({ id: 'x', choices })}\n\n`, () => response.destroy());
      }
      const isTold = body.includes('"role":"tool"');
      if (isTold || !body.includes('"tools"'))
        return sendWhole(response, { content: 'Its clock ticks in 15 ms steps.' });
      const called = { name: 'read_file', arguments: '{"path":"retry.test.ts"}' };
      return sendWhole(response, { tool_calls: [{ id: 'call-1', type: 'function', function: called }] });
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
}

async function ask(rest: object = {}): Promise<string> {
  const body = { model: 'acme/chat', messages: [{ role: 'user', content: QUESTION }], ...rest };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.text().catch(() => '');
  return response.headers.get('x-generation-id') ?? '';
}

async function readReview(id: string): Promise<Generation['review']> {
  const response = await ui.call(`/api/v1/generation?id=${id}`);
  return ((await response.json()) as { data: Generation }).data.review;
}

async function workWithTools(): Promise<void> {
  const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }];
  const question = { role: 'user', content: QUESTION };
  const called = { name: 'read_file', arguments: '{"path":"retry.test.ts"}' };
  const call = { role: 'assistant', tool_calls: [{ id: 'call-1', type: 'function', function: called }] };
  const result = { role: 'tool', tool_call_id: 'call-1', content: 'await sleep(15);' };
  await ask({ session_id: SESSION, tools, messages: [question] });
  await ask({ session_id: SESSION, tools, messages: [question, call, result] });
  const trace = { trace_id: 't', parent_span_id: 'p', span_name: 'reviewer' };
  await ask({ session_id: SESSION, trace, messages: [{ role: 'user', content: 'Review the fix' }] });
}

describe.skipIf(skipped !== undefined)(
  `the page of a request in the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      const baseUrl = await startUpstream();
      const config = {
        auth: {
          bootstrapKeys: [
            { key: API_KEY, kind: 'api', name: 'dev' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
          ],
        },
        providers: [{ slug: 'here', name: 'Here', wire: 'openai', baseUrl }],
        models: [{ id: 'acme/chat', endpoints: [{ provider: 'here', providerModel: 'm', pricing: PRICING }] }],
      };
      ui = await launchUi({ config, managementKey: MANAGEMENT_KEY });
      ids.whole = await ask();
      ids.broken = await ask({ stream: true });
      await workWithTools();
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      upstream?.close();
    });

    test('is titled by its model and what was said, and has its id as a chip', async () => {
      const { page, problems } = await ui.open(`#/generations/${ids.whole}`);
      await page.getByRole('heading', { level: 1, name: `chat · ${QUESTION}` }).waitFor();
      await page.getByRole('button', { name: `${ids.whole} Copy ID` }).waitFor();
      expect(problems).toEqual([]);
    });

    test('explains the cost by price and count, down to the nano-dollar, and tells what the cache has saved', async () => {
      const { page, problems } = await ui.open(`#/generations/${ids.whole}?tab=usage`);
      const table = page.getByRole('table', { name: 'Cost by kind' });
      await table.waitFor();
      await expect
        .poll(async () =>
          (await table.getByRole('row').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()),
        )
        .toEqual([
          'Kind Count Price Cost',
          'Input 3,400 $3.00 / M $0.0102',
          'Cached input 9,000 $0.30 / M $0.0027',
          'Output 200 $15.00 / M $0.003',
          'Reasoning 120 $20.00 / M $0.0024',
          `Total ${COST}`,
          'Saved by the cache $0.0243',
        ]);
      expect(await page.getByText('At today’s prices').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('explains the cost of a record without charges at the prices of today, and shows the difference', async () => {
      const { page, problems } = await ui.open('#/generations');
      await page.route('**/call-timeline', async (route) => {
        const response = await route.fetch();
        const { data } = (await response.json()) as { data: CallTimelineReport };
        const { charges: _, ...call } = data.call ?? { before_ms: {} as never, attempts_ms: [] };
        await route.fulfill({ json: { data: { ...data, call } } });
      });
      await page.route('**/api/v1/generation?*', async (route) => {
        const { data } = (await (await route.fetch()).json()) as { data: object };
        await route.fulfill({ json: { data: { ...data, total_cost: 0.02 } } });
      });
      await page.goto(`${ui.url}/ui/#/generations/${ids.whole}?tab=usage`);
      await page.getByText('At today’s prices').waitFor();
      await page.getByRole('row', { name: 'Difference $0.0017' }).waitFor();
      await page.getByRole('row', { name: 'Total $0.02' }).waitFor();
      expect(problems).toEqual([]);
    });

    test.each(WIDTHS)(
      'shows the whole request as received, as sent, and what differs, %i pixels wide',
      async (width) => {
        const id = await ask({ temperature: 0.3, max_tokens: 100, provider: { sort: 'price' } });
        const opened = await ui.open(`#/generations/${id}?tab=exchange`, { viewport: { width, height: 900 } });
        const { page, problems, check, screenshot } = opened;
        const request = page.getByRole('region', { name: 'Request', exact: true });
        await request.getByText('"acme/chat"').waitFor();
        await request.getByText('/chat/completions').waitFor();
        await request.getByText('temperature').waitFor();
        expect(await check()).toEqual([]);
        await screenshot(`request-received-${width}`);
        await request.getByRole('radio', { name: 'As sent' }).click();
        await request.getByText('"m"', { exact: true }).waitFor();
        await request.getByText('here:m').waitFor();
        expect(await request.getByText('provider').count()).toBe(0);
        await request.getByRole('radio', { name: 'Changes' }).click();
        await request.locator('del', { hasText: 'provider' }).waitFor();
        expect(await check()).toEqual([]);
        await setTheme(opened, 'dark');
        await screenshot(`request-changes-${width}`);
        expect(problems).toEqual([]);
      },
    );

    test('sends a request again, and shows the new call', async () => {
      const id = await ask({ temperature: 0.3 });
      const { page, problems } = await ui.open(`#/generations/${id}?tab=exchange`);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Send again' }).click();
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await expect.poll(() => page.url()).not.toContain(id);
      await page.getByRole('tab', { name: 'Request and response' }).click();
      const request = page.getByRole('region', { name: 'Request', exact: true });
      await request.getByText('temperature').waitFor();
      expect(problems).toEqual([]);
    });

    test('opens a call in the playground with its parameters', async () => {
      const id = await ask({ temperature: 0.3, top_k: 5 });
      const { page, problems } = await ui.open(`#/playground?from=${id}`, { initScript: CHOOSE_KEY });
      await page.getByRole('button', { name: 'Parameters' }).click();
      await expect.poll(() => page.getByLabel('Temperature').inputValue()).toBe('0.3');
      await page.getByText('"top_k": 5').waitFor();
      expect(problems).toEqual([]);
    });

    test('says what of a session the provider read from its cache, and which call missed it', async () => {
      const messages = (text: string) => [
        { role: 'system', content: text },
        { role: 'user', content: QUESTION },
      ];
      for (const clock of ['10:00', '10:01']) {
        await ask({ session_id: 'clocks', messages: messages(`It is ${clock}. ${'Be brief. '.repeat(400)}`) });
      }
      const { page, problems, check, screenshot } = await ui.open('#/generations/sessions/clocks');
      const cache = page.getByRole('region', { name: 'Prompt cache' });
      await cache.getByText('72.6 % of 24,800 prompt tokens read').waitFor();
      await cache.getByText('The system text has changed').waitFor();
      await cache.getByText('messages[0]').waitFor();
      expect(await check()).toEqual([]);
      await screenshot('session-cache-1440');
      await cache.getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Prompt cache' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('takes a rating and a note, keeps them, and shows what the caller has said', async () => {
      const feedback = { generation_id: ids.whole, category: 'incorrect_response', comment: 'It is the file system' };
      await ui.call('/api/v1/generation/feedback', { key: API_KEY, body: feedback });
      const { page, problems, check } = await ui.open(`#/generations/${ids.whole}`);
      await page.getByRole('list', { name: 'Feedback from the caller' }).getByText('It is the file system').waitFor();
      await page.getByRole('button', { name: 'Bad response' }).click();
      await page.getByRole('button', { name: 'Bad response', pressed: true }).waitFor();
      await page.getByRole('button', { name: 'Add a note' }).click();
      await page.getByRole('textbox', { name: 'Note' }).fill('Ask again with the log');
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      // The field has the text before it is saved.
      await page.getByRole('textbox', { name: 'Note' }).waitFor({ state: 'detached' });
      await page.getByText('Ask again with the log').waitFor();
      await page.reload();
      await page.getByText('Ask again with the log').waitFor();
      await page.getByRole('button', { name: 'Bad response', pressed: true }).click();
      await page.getByRole('button', { name: 'Bad response', pressed: false }).waitFor();
      await page.getByText('Ask again with the log').waitFor();
      expect(problems).toEqual([]);
    });

    test('keeps a note that was typed and not saved when the page is reloaded, but not a cancelled one', async () => {
      const id = await ask({});
      const { page, problems } = await ui.open(`#/generations/${id}`);
      const note = page.getByRole('textbox', { name: 'Note' });
      await page.getByRole('button', { name: 'Add a note' }).click();
      await note.fill('Compare with Linux');
      await page.reload();
      await expect.poll(() => readReview(id)).toMatchObject({ rating: null, note: 'Compare with Linux' });
      await page.reload();
      await page.getByRole('button', { name: 'Edit the note' }).click();
      await note.fill('Never mind');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Compare with Linux').waitFor();
      await page.reload();
      await page.getByText('Compare with Linux').waitFor();
      expect(problems).toEqual([]);
    });

    test('keeps a rating that is chosen while a note is being saved', async () => {
      const id = await ask({});
      const { page, problems } = await ui.open(`#/generations/${id}`);
      let release = (): void => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/review', async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Add a note' }).click();
      await page.getByRole('textbox', { name: 'Note' }).fill('Compare with Linux');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Good response' }).click();
      release();
      await page.getByRole('button', { name: 'Good response', pressed: true }).waitFor();
      expect(await readReview(id)).toMatchObject({ rating: 'good', note: 'Compare with Linux' });
      expect(problems).toEqual([]);
    });

    test('says what was recorded of a stream that broke off, in its replay and in the playground', async () => {
      const { page, problems, go } = await ui.open(`#/generations/${ids.broken}?tab=stream`, {
        initScript: CHOOSE_KEY,
      });
      const note = page.getByRole('region', { name: 'Error' });
      await note.getByText('the response was cut short').waitFor();
      await go(`#/playground?from=${ids.broken}`);
      const alert = page.getByRole('alert').first();
      await alert.waitFor();
      const text = await alert.innerText();
      expect(text).toMatch(/50\d/);
      expect(text).not.toMatch(/gateway is running|reach the gateway/);
      expect(problems).toEqual([]);
    });

    test('shows a session on one axis, with tools between its requests, and the sub-agent by its label', async () => {
      const { page, problems } = await ui.open(`#/generations/sessions/${SESSION}`);
      const chart = page.getByRole('listbox', { name: 'Timeline of the session' });
      await chart.getByRole('option', { name: /^└ read_file/ }).waitFor();
      const names = await chart.getByRole('option').locator('.sr-only').allTextContents();
      expect(names.map((name) => name.split(',')[0])).toEqual([
        '1. chat',
        '└ read_file',
        '2. chat',
        'Agent reviewer',
        '└ 3. chat',
      ]);
      await chart.getByRole('option', { name: /^└ read_file/ }).hover();
      await page.getByText('→ await sleep(15);').waitFor();
      await page.getByText('Context (prompt tokens)').waitFor();
      // The thread below names the tool of a result, too.
      const second = page.getByRole('article', { name: 'Request 2' });
      await second.getByText('read_file', { exact: true }).first().waitFor();
      expect(problems).toEqual([]);
    });

    test.each(WIDTHS)('can be used by everyone %i pixels wide, in German, dark and light', async (width) => {
      const opened = await ui.open(`#/generations/${ids.whole}`, {
        viewport: { width, height: 900 },
        locale: 'de-DE',
      });
      const { page, problems, check, screenshot, go } = opened;
      for (const [name, hash] of [
        ['page', `#/generations/${ids.whole}`],
        ['cost', `#/generations/${ids.whole}?tab=usage`],
        ['broken', `#/generations/${ids.broken}?tab=stream`],
        ['session', `#/generations/sessions/${SESSION}`],
        ['sessions', '#/generations/sessions'],
        ['panel', `#/generations?open=${ids.whole}`],
        ['compare', `#/generations?compare=${ids.whole},${ids.broken}`],
      ] as const) {
        await go(hash);
        for (const colorScheme of ['dark', 'light'] as const) {
          await setTheme(opened, colorScheme);
          await screenshot(`request-${name}-${width}-${colorScheme}`);
          expect(await check()).toEqual([]);
        }
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
      expect(problems).toEqual([]);
    });
  },
);
