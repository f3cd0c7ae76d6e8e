import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';

const API_KEY = 'sk-gw-v1-workbench-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const HOSTILE = '<img src=x onerror=alert(1)> [a](javascript:alert(1))';

/** Not in the blank page before, which may keep nothing. */
const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${API_KEY}')`;

let ui: Ui;
let closeUpstream: () => void;
let recorded = '';
let other = '';

interface UpstreamRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const requests: UpstreamRequest[] = [];
const TEXTS: Readonly<Record<string, string>> = {
  sonnet: 'The sky is **blue** today.',
  mini: 'The sky is grey today.',
  painter: 'Here it is.',
};

/** What each model says: it calls the first tool once, counts what users have said, and paints if it can. */
function toMessage({ model, tools, messages }: UpstreamRequest): object {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { content: `It has ${String(last.content)} degrees.` };
  const [tool] = tools ?? [];
  if (tool !== undefined) {
    const call = { name: tool.function.name, arguments: '{"city":"Lisbon"}' };
    return { content: null, tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] };
  }
  const asked = messages.filter(({ role }) => role === 'user').length;
  if (asked > 1) return { content: `You have asked ${asked} times, and I am ${model}.` };
  // A tenth of a second of silence.
  const audio = { id: 'a', data: Buffer.alloc(4800).toString('base64'), transcript: 'I say so.' };
  if (model === 'speaker') return { content: null, audio };
  const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }];
  return { content: TEXTS[model] ?? 'Yes.', ...(model === 'painter' && { images }) };
}

/** Lets the model that writes slowly come to its end. */
let finishWriting = (): void => undefined;
const WRITTEN = '# Sky\n\nIt is:\n\n- **blue**\n- wide';

function respond(request: UpstreamRequest, response: ServerResponse): void {
  requests.push(request);
  const facts = { id: 'x', created: 1, model: request.model };
  if (request.model === 'broken') {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'No such weather', type: 'invalid_request_error' } }));
    return;
  }
  const message = toMessage(request);
  const end = 'tool_calls' in message ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  if (request.stream !== true) {
    const choices = [{ index: 0, finish_reason: end, message: { role: 'assistant', ...message } }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...facts, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (request.model === 'writer') {
    const write = (choice: object): void =>
      void response.write(
        `data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`,
      );
    write({ delta: { role: 'assistant', content: WRITTEN }, finish_reason: null });
    finishWriting = () => {
      write({ delta: {}, finish_reason: 'stop' });
      response.end('data: [DONE]\n\n');
    };
    return;
  }
  for (const choice of [
    { index: 0, delta: { role: 'assistant', ...message }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: end },
  ])
    response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [choice] })}\n\n`);
  response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

const toConfig = (upstream: string): object => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: 'dev' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  },
  providers: [{ slug: 'here', name: 'Here', wire: 'openai', baseUrl: `${upstream}/v1` }],
  models: [
    {
      id: 'acme/claude-sonnet-4.5',
      name: 'Acme: Claude Sonnet 4.5',
      aliases: ['best'],
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'here',
          providerModel: 'sonnet',
          context_length: 200_000,
          pricing: { prompt: '0.000003', completion: '0.000015' },
        },
      ],
    },
    { id: 'acme/broken', endpoints: [{ provider: 'here', providerModel: 'broken' }] },
    { id: 'acme/writer', endpoints: [{ provider: 'here', providerModel: 'writer' }] },
    { id: 'acme/mini', name: 'Acme: Mini', endpoints: [{ provider: 'here', providerModel: 'mini' }] },
    {
      id: 'acme/painter',
      architecture: { input_modalities: ['text'], output_modalities: ['image', 'text'] },
      endpoints: [{ provider: 'here', providerModel: 'painter' }],
    },
    {
      id: 'acme/speaker',
      architecture: { input_modalities: ['text'], output_modalities: ['text', 'audio'] },
      endpoints: [{ provider: 'here', providerModel: 'speaker' }],
    },
  ],
});

const open = (hash: string) =>
  ui.open(hash, {
    managementKey: MANAGEMENT_KEY,
    initScript: CHOOSE_KEY,
  });
const columnOf = (page: Page, at: number) => page.getByRole('region', { name: `Column ${at}:` });
const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const isOk = (page: Page, at: number) =>
  columnOf(page, at).getByRole('status').getByText('ok', { exact: true }).waitFor();

async function say(page: Page, text: string): Promise<void> {
  await composerOf(page).fill(text);
  await page.keyboard.press('Control+Enter');
}

describe.skipIf(skipped !== undefined)(
  `the playground as a workbench${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      const server = createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (data) => (body += String(data)));
        request.on('end', () => respond(JSON.parse(body) as UpstreamRequest, response));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closeUpstream = () => server.close();
      const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      ui = await launchUi({ config: toConfig(upstream), managementKey: MANAGEMENT_KEY });
      const messages = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'How is the sky?' },
      ];
      const record = async (model: string): Promise<string> => {
        const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body: { model, messages } });
        return response.headers.get('x-generation-id') ?? '';
      };
      recorded = await record('acme/claude-sonnet-4.5');
      other = await record('acme/mini');
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      closeUpstream?.();
    });

    test('replays a generation with another model beside the original, in two clicks and the model', async () => {
      const { page, problems, check, screenshot } = await open(`#/generations?open=${recorded}`);
      await page.getByRole('button', { name: 'Playground', exact: true }).click();
      await columnOf(page, 1).getByText('original').waitFor();
      await columnOf(page, 1).getByText('blue').waitFor();
      expect(await columnOf(page, 1).locator('footer').innerText()).toMatch(/ok[^]*Here[^]*\$[^]*20 in \/ 10 out/);
      expect(
        await columnOf(page, 1)
          .getByRole('button', { name: /^Edit|^Remove the/ })
          .count(),
      ).toBe(0);
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).click();
      await page.keyboard.type('mini');
      const item = page.getByRole('option', { name: 'Acme: Mini' });
      await item.waitFor();
      expect(await page.getByRole('dialog').getByRole('option').count()).toBe(2);
      await screenshot('workbench-picker');
      expect(await check()).toEqual([]);
      await page.keyboard.press('Control+Enter');
      await isOk(page, 2);
      await columnOf(page, 2).getByText('grey').waitFor();
      expect(requests.at(-1)).toMatchObject({
        model: 'mini',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'How is the sky?' },
        ],
      });
      await page
        .getByLabel('Show differences from')
        .selectOption({ label: 'Differences from 1: acme/claude-sonnet-4.5' });
      const added = columnOf(page, 2).getByRole('insertion').filter({ hasText: 'grey' });
      await added.waitFor();
      expect(await columnOf(page, 2).getByRole('deletion').filter({ hasText: 'blue' }).innerText()).toBe('blue');
      expect(await page.evaluate('getComputedStyle(document.querySelector("article ins")).textDecorationLine')).toBe(
        'underline',
      );
      expect(await check()).toEqual([]);
      await screenshot('workbench-diff');
      expect(problems).toEqual([]);
    });

    test('says that a call cannot be opened, and begins again where wanted', async () => {
      const { page, problems, check } = await open('#/playground?from=gen-none');
      await page.getByRole('alert').getByText('Couldn’t open the generation').waitFor();
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Start an empty experiment' }).click();
      await columnOf(page, 1).getByText('Send a message to start').waitFor();
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    });

    test('finds models by a part of their name, and takes what names none only as written', async () => {
      const { page, problems } = await open('#/playground?models=acme/mini');
      await page.getByRole('button', { name: 'Model of column 1: acme/mini' }).click();
      await page.keyboard.type('sonnet');
      const found = page.getByRole('option', { name: 'Acme: Claude Sonnet 4.5' });
      expect(await found.innerText()).toMatch(/\$3(\.00)? \/ \$15(\.00)?[^]*200K context[^]*image input/);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Model of column 1: acme/claude-sonnet-4.5' }).click();
      await page.keyboard.type('best');
      await page.getByRole('option', { name: 'Use best as written' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Model of column 1: best' }).waitFor();
      await say(page, 'Hello');
      await isOk(page, 1);
      await columnOf(page, 1).getByText('blue').waitFor();
      for (let more = 2; more <= 8; more += 1) {
        await page.getByRole('button', { name: 'Model', exact: true }).click();
        await page.keyboard.press('Enter');
      }
      await columnOf(page, 8).waitFor();
      expect(await page.getByRole('button', { name: 'Model', exact: true }).isDisabled()).toBe(true);
      expect(problems).toEqual([]);
    });

    test('adds a column with the model that is picked, and keeps columns that nothing was sent to', async () => {
      const { page, problems } = await open('#/playground?models=acme/mini');
      const add = page.getByRole('button', { name: 'Model', exact: true });
      await add.click();
      // Letters go into the field of the picker: none is a shortcut of the page behind it.
      await page.keyboard.type('g p sonnet');
      await page.getByLabel('Find a model').fill('sonnet');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).waitFor();
      await add.click();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.getByRole('region', { name: /^Column/ }).count()).toBe(2);
      await page.getByRole('link', { name: 'Models' }).click();
      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByRole('button', { name: 'Model of column 1: acme/mini' }).waitFor();
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).waitFor();
      // Also where the key leads to the screen that is open already.
      await page.getByRole('heading', { name: 'Playground' }).click();
      await page.keyboard.press('g');
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).waitFor();
      await say(page, 'How is the sky?');
      await Promise.all([isOk(page, 1), isOk(page, 2)]);
      await add.click();
      await page.keyboard.type('painter');
      await page.keyboard.press('Control+Enter');
      await isOk(page, 3);
      expect(problems).toEqual([]);
    });

    test('compares nothing where two columns have failed', async () => {
      const { page } = await open('#/playground?models=acme/broken,acme/broken,acme/mini');
      await say(page, 'How is the sky?');
      await columnOf(page, 2).getByText('No response').waitFor();
      await isOk(page, 3);
      await page.getByLabel('Show differences from').selectOption({ label: 'Differences from 1: acme/broken' });
      await columnOf(page, 3).getByText('The sky is grey today.').waitFor();
      expect(await page.getByText(/Same text as|Differences from column/).count()).toBe(0);
      await page.getByLabel('Show differences from').selectOption({ label: 'Differences from 3: acme/mini' });
      expect(await page.getByText(/Same text as|Differences from column/).count()).toBe(0);
    });

    test('formats a response while it comes, and does not change when it has ended', async () => {
      const { page, problems } = await open('#/playground?models=acme/writer');
      await say(page, 'Write');
      const column = columnOf(page, 1);
      await column.getByRole('heading', { name: 'Sky' }).waitFor();
      await column.getByRole('listitem').filter({ hasText: 'blue' }).waitFor();
      await column.getByText('streaming', { exact: true }).waitFor();
      const look = async () => {
        const text = column.locator('.prose-said');
        // Line ends between elements have no height.
        return { html: (await text.innerHTML()).replaceAll('>\n<', '><'), box: await text.boundingBox() };
      };
      const before = await look();
      finishWriting();
      await isOk(page, 1);
      expect(await look()).toEqual(before);
      expect(problems).toEqual([]);
    });

    test('goes on with conversations, in all columns or in one, and keeps them over a reload', async () => {
      const { page, problems, check, screenshot } = await open('#/playground?models=acme/claude-sonnet-4.5,acme/mini');
      await composerOf(page).fill('How is the sky?');
      await columnOf(page, 1)
        .getByText(/Est\. ≈ \$0\.0\d+ for ≈ \d+ in \/ 500 out/)
        .waitFor();
      await columnOf(page, 2).getByText('Est. price unknown').waitFor();
      await page.getByText('Cost: some prices unknown').waitFor();
      await page.keyboard.press('Control+Enter');
      await Promise.all([isOk(page, 1), isOk(page, 2)]);
      await say(page, 'And at night?');
      await columnOf(page, 1).getByText('asked 2 times, and I am sonnet').waitFor();
      await columnOf(page, 2).getByText('asked 2 times, and I am mini').waitFor();
      await page.getByLabel('Send to').selectOption({ label: '2: acme/mini' });
      await say(page, 'Sure?');
      await columnOf(page, 2).getByText('asked 3 times').waitFor();
      expect(await columnOf(page, 1).getByText('Sure?').count()).toBe(0);
      // An edited message is changed wherever it stands, and what follows is asked for again.
      await columnOf(page, 1).getByRole('button', { name: 'Edit the message' }).last().click();
      await page.getByText('Changes 2 columns.').waitFor();
      await page.getByLabel('Text of the message').fill('And at noon?');
      await page.getByRole('button', { name: 'Save and send' }).click();
      await columnOf(page, 2).getByText('asked 2 times').waitFor();
      expect(await columnOf(page, 2).getByText('Sure?').count()).toBe(0);
      await columnOf(page, 2).getByText('And at noon?').waitFor();
      await columnOf(page, 1).getByRole('button', { name: 'Regenerate' }).click();
      await isOk(page, 1);
      await columnOf(page, 2).getByRole('button', { name: 'Remove the message' }).last().click();
      await columnOf(page, 2).getByText('And at noon?').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await columnOf(page, 2).getByText('And at noon?').waitFor();
      await composerOf(page).fill('Half a question');
      expect(await check()).toEqual([]);
      await page.getByText('Saved in this browser').waitFor();
      await page.reload();
      await columnOf(page, 2).getByText('asked 2 times, and I am mini').waitFor();
      await isOk(page, 1);
      expect(await composerOf(page).inputValue()).toBe('Half a question');
      await screenshot('workbench-conversation');
      // The screen is left, and come back to without an address.
      await page.getByRole('link', { name: 'Models' }).click();
      await page.getByRole('link', { name: 'Playground' }).click();
      await columnOf(page, 2).getByText('asked 2 times, and I am mini').waitFor();
      expect(problems).toEqual([]);
    });

    test('describes a tool by rows, shows its call, and sends the typed result on', async () => {
      const { page, problems, check, screenshot } = await open('#/playground?models=acme/mini');
      await page.getByRole('button', { name: 'Tools' }).click();
      await page.getByRole('button', { name: 'Add a tool' }).click();
      await page.getByRole('button', { name: 'Add a row to parameters' }).click();
      await say(page, 'How warm is it?');
      // Nothing is sent, and the first field to correct has the focus.
      await page
        .getByText(/^Settings: tools\.0\.name/)
        .first()
        .waitFor();
      expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
      await page.keyboard.type('get_weather');
      await page.getByLabel('What it does').fill('The weather of a city');
      const row = page.getByRole('group', { name: 'Row 1' });
      await row.getByText('Needs a name').waitFor();
      await row.getByLabel('Name').fill('city');
      await row.getByLabel('One of').fill('Lisbon, Porto');
      await screenshot('workbench-tool');
      expect(await check()).toEqual([]);
      await page.getByRole('radio', { name: 'JSON schema' }).click();
      expect(JSON.parse(await page.getByLabel('Parameters as JSON schema').inputValue())).toEqual({
        type: 'object',
        properties: { city: { type: 'string', enum: ['Lisbon', 'Porto'] } },
        required: ['city'],
        additionalProperties: false,
      });
      await page
        .getByLabel('Parameters as JSON schema')
        .fill('{"type":"object","properties":{"town":{"type":"string"}}}');
      await page.getByRole('radio', { name: 'Rows' }).click();
      expect(await row.getByLabel('Name').inputValue()).toBe('town');
      await page.getByRole('button', { name: 'Dismiss' }).first().click();
      await composerOf(page).focus();
      await page.keyboard.press('Control+Enter');
      await columnOf(page, 1)
        .getByRole('region', { name: 'Call of get_weather' })
        .getByText('"city": "Lisbon"')
        .waitFor();
      expect(requests.at(-1)?.tools?.[0]?.function).toMatchObject({
        parameters: { properties: { town: { type: 'string' } } },
      });
      await page.getByLabel('Result of get_weather').fill('21');
      await page.getByRole('button', { name: 'Send the result' }).click();
      await columnOf(page, 1).getByText('It has 21 degrees.').waitFor();
      await screenshot('workbench-tool-called');
      expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      expect(problems).toEqual([]);
    });

    test('shows the images that a model makes, also after a reload', async () => {
      const { page, problems } = await open('#/playground?models=acme/painter');
      await say(page, 'Paint a dot');
      const image = columnOf(page, 1).getByRole('img', { name: 'Made by the model' });
      await image.waitFor();
      await page.getByText('Saved in this browser').waitFor();
      await page.reload();
      await image.waitFor();
      expect(await image.getAttribute('src')).toContain(PNG);
      expect(problems).toEqual([]);
    });

    test('plays what a model says, and asks it for speech', async () => {
      const { page, problems } = await open('#/playground?models=acme/speaker');
      await say(page, 'Speak');
      await columnOf(page, 1).getByText('I say so.').waitFor();
      expect(requests.at(-1)).toMatchObject({ modalities: ['text', 'audio'], audio: { format: 'pcm16' } });
      await expect.poll(() => page.evaluate('document.querySelector("audio").duration')).toBeCloseTo(0.1, 3);
      expect(problems).toEqual([]);
    });

    test('announces that the texts of two compared calls are loading', async () => {
      const { page } = await open('#/generations');
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/generation/content*', async (route) => {
        await held;
        await route.continue();
      });
      await page.evaluate(`location.hash = '#/generations?compare=${recorded},${other}'`);
      const dialog = page.getByRole('dialog', { name: 'Compare two requests' });
      await dialog.getByRole('status').filter({ hasText: 'Loading both texts' }).waitFor();
      release();
      await dialog.getByRole('insertion').filter({ hasText: 'grey' }).waitFor();
    });

    test('marks what differs in two compared calls, and goes on with both', async () => {
      const { page, problems, check, screenshot } = await open(`#/generations?compare=${recorded},${other}`);
      const dialog = page.getByRole('dialog', { name: 'Compare two requests' });
      await dialog.getByRole('insertion').filter({ hasText: 'grey' }).waitFor();
      await dialog.getByText('Same text as the first.').waitFor();
      await screenshot('workbench-compare');
      expect(await check()).toEqual([]);
      await dialog.getByRole('link', { name: 'Open in playground' }).click();
      await columnOf(page, 2).getByText('original').waitFor();
      await columnOf(page, 2).getByText('grey').waitFor();
      await page.getByRole('button', { name: 'Model of column 3: acme/claude-sonnet-4.5' }).waitFor();
      await page.getByRole('button', { name: 'Send' }).click();
      await isOk(page, 3);
      expect(problems).toEqual([]);
    });

    test('keeps experiments under names, and saves and opens them as files', async () => {
      const { page, problems, check, screenshot } = await open('#/playground?models=acme/mini');
      const choose = async (item: string): Promise<void> => {
        await page.getByRole('button', { name: 'Experiments' }).click();
        await page.getByRole('menuitem', { name: item }).click();
      };
      await page.getByLabel('Files to attach').setInputFiles({
        name: 'dot.png',
        mimeType: 'image/png',
        buffer: Buffer.from(PNG, 'base64'),
      });
      await page.getByText('dot.png').waitFor();
      await say(page, HOSTILE);
      await isOk(page, 1);
      await page.getByLabel('Name of the experiment').fill('Skies');
      const [download] = await Promise.all([page.waitForEvent('download'), choose('Save as a file')]);
      expect(download.suggestedFilename()).toBe('skies.experiment.json');
      const text = await readFile(await download.path(), 'utf8');
      expect(text).toContain(PNG);
      expect(text).not.toContain(API_KEY);

      await page.getByText('Saved in this browser').waitFor();
      await choose('New');
      await columnOf(page, 1).getByText('Send a message to start').waitFor();
      await choose('All experiments…');
      await page.getByRole('button', { name: 'Open Skies' }).waitFor();
      await screenshot('workbench-experiments');
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Rename Skies' }).click();
      await page.getByLabel('Name of Skies').fill('Clouds');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Delete Clouds' }).click();
      await page.getByRole('button', { name: 'Open Clouds' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Open Clouds' }).click();
      await columnOf(page, 1).getByText('onerror=alert(1)').waitFor();

      // The one on the screen can be deleted, too.
      await choose('All experiments…');
      await page.getByRole('button', { name: 'Delete Clouds' }).click();
      await columnOf(page, 1).getByText('Send a message to start').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await columnOf(page, 1).getByText('onerror=alert(1)').waitFor();

      const input = page.getByLabel('Experiment to open');
      const broken = JSON.parse(text) as { experiment: { columns: { turns: { text: unknown }[] }[] } };
      Object.assign(broken.experiment.columns[0]?.turns[0] ?? {}, { text: 5 });
      const file = (content: string) => ({
        name: 'x.json',
        mimeType: 'application/json',
        buffer: Buffer.from(content),
      });
      await input.setInputFiles(file(JSON.stringify(broken)));
      await page.getByText('experiment.columns.0.turns.0.text').first().waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).first().click();
      await input.setInputFiles(file(text.replaceAll('Skies', HOSTILE.replaceAll('"', ''))));
      await expect.poll(() => page.getByLabel('Name of the experiment').inputValue()).toBe(HOSTILE);
      await columnOf(page, 1).getByRole('img', { name: 'dot.png' }).waitFor();
      expect(await page.locator('img[src=x]').count()).toBe(0);
      await page.reload();
      await columnOf(page, 1).getByRole('img', { name: 'dot.png' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('is written in the language of the browser, and begins with an example', async () => {
      const { page, problems } = await ui.open('#/playground?models=acme/mini', {
        managementKey: MANAGEMENT_KEY,
        initScript: CHOOSE_KEY,
        locale: 'de-DE',
      });
      const message = page.getByRole('textbox', { name: 'Nachricht', exact: true });
      const examples = page.getByRole('group', { name: 'Beispiele' });
      await examples.getByRole('button', { name: 'Nenne drei Grundfarben als JSON-Array.' }).click();
      expect(await message.inputValue()).toBe('Nenne drei Grundfarben als JSON-Array.');
      await examples.waitFor({ state: 'detached' });
      await message.fill('Wie ist der Himmel?');
      await page.getByRole('button', { name: 'Senden' }).click();
      await page.getByRole('article', { name: 'Assistent' }).getByText('The sky is grey today.').waitFor();
      await page.getByRole('button', { name: 'Neu generieren' }).waitFor();
      expect(problems).toEqual([]);
    });

    test.each(
      firstOrAll<readonly [number, number, 'dark' | 'light']>(
        // As one of twice the size that is enlarged to 200 %.
        [640, 400, 'light'],
        [480, 900, 'dark'],
        [900, 900, 'light'],
        [1440, 900, 'dark'],
      ),
    )('fits a window of %i by %i pixels, %s', async (width, height, colorScheme) => {
      const opened = await ui.open('#/playground?models=acme/claude-sonnet-4.5,acme/mini,acme/painter', {
        managementKey: MANAGEMENT_KEY,
        initScript: CHOOSE_KEY,
        viewport: { width, height },
        colorScheme,
      });
      const { page, check, problems, screenshot } = opened;
      await say(page, 'How is the sky?');
      await Promise.all([1, 2, 3].map((at) => isOk(page, at)));
      await columnOf(page, 3).getByRole('button', { name: 'Regenerate' }).click();
      await isOk(page, 3);
      await page.getByRole('button', { name: 'Parameters' }).click();
      await screenshot(`workbench-${width}-${colorScheme}`);
      expect(await check()).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(problems).toEqual([]);
    });
  },
);
