import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { FIND_UNFIT } from '../e2e/find-unfit.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const API_KEY = 'sk-gw-v1-prompts-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;

/** Not in the blank page before, which may keep nothing. */
const CHOOSE_KEY = `if (location.protocol === 'http:') sessionStorage.setItem('model-gateway.playground-key', '${API_KEY}')`;

/** What can be scrolled sideways, within the page or a dialog. */
const SCROLLS_SIDEWAYS = `[...document.querySelectorAll('.scroll-thin')]
  .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth)
  .map(({ className }) => className)`;

interface UpstreamRequest {
  readonly temperature?: number;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

let ui: Ui;
let closeUpstream: () => void;
const requests: UpstreamRequest[] = [];

async function startUpstream(): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (data) => (body += String(data)));
    request.on('end', () => {
      requests.push(JSON.parse(body) as UpstreamRequest);
      const choice = { index: 0, delta: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' };
      const facts = { id: 'x', created: 1, model: 'chat', object: 'chat.completion.chunk' };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ ...facts, choices: [choice] })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeUpstream = () => server.close();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const open = (hash = '#/playground?models=acme/chat', options: Parameters<Ui['open']>[1] = {}) =>
  ui.open(hash, { managementKey: MANAGEMENT_KEY, initScript: CHOOSE_KEY, ...options });
const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const barOf = (page: Page) => page.getByRole('region', { name: 'Prompt', exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog');
const said = (page: Page) => page.getByText('Hello there.');

async function choose(page: Page, item: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Prompts', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function typeSystem(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'System message' });
  if (!(await field.isVisible())) await page.getByRole('button', { name: /^System message/ }).click();
  await field.fill(text);
}

/** Makes a prompt, and further versions of it. */
async function keep(name: string, ...systems: readonly string[]): Promise<string> {
  let id = '';
  for (const [at, system] of systems.entries()) {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: 'Greet {{name}}' },
    ];
    const contents = {
      messages,
      model: 'acme/chat',
      parameters: { temperature: 0.5 },
      note: at === 0 ? null : 'Shorter',
    };
    const path = at === 0 ? '' : `/${id}/versions`;
    const body = at === 0 ? { name, ...contents } : contents;
    const response = await ui.call(`/admin/v1/prompts${path}`, { key: MANAGEMENT_KEY, body });
    expect(response.status).toBe(201);
    if (at === 0) id = ((await response.json()) as { data: { id: string } }).data.id;
  }
  return id;
}

const readPrompt = async (id: string): Promise<unknown> =>
  ((await (await ui.call(`/admin/v1/prompts/${id}`, { key: MANAGEMENT_KEY })).json()) as { data: unknown }).data;

describe.skipIf(skipped !== undefined)(
  `prompts of the playground${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      const baseUrl = await startUpstream();
      const config = {
        auth: {
          bootstrapKeys: [
            { key: API_KEY, kind: 'api', name: 'dev' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'Mo' },
          ],
        },
        providers: [{ slug: 'here', name: 'Here', wire: 'openai', baseUrl }],
        models: ['acme/chat', 'acme/other'].map((id) => ({
          id,
          endpoints: [{ provider: 'here', providerModel: 'chat' }],
        })),
      };
      ui = await launchUi({ config, managementKey: MANAGEMENT_KEY });
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      closeUpstream?.();
    });

    test('fills in variables as they are sent, and saves the texts with their braces', async () => {
      const { page, problems, check, screenshot } = await open();
      await typeSystem(page, 'Be {{tone}}.');
      await composerOf(page).fill('Greet {{name}}');
      const variables = page.getByRole('region', { name: 'Variables' });
      await variables.getByText('{{tone}}, {{name}} have no value and are sent as written.').waitFor();
      await variables.getByRole('textbox', { name: 'tone' }).fill('brief');
      await variables.getByText('{{name}} has no value and is sent as written.').waitFor();
      await variables.getByRole('textbox', { name: 'name' }).fill('Ada');
      expect(await variables.getByText('no value').count()).toBe(0);
      await screenshot('prompts-variables');
      expect(await check()).toEqual([]);
      await composerOf(page).press('Control+Enter');
      await said(page).waitFor();
      expect(requests.at(-1)?.messages).toEqual([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Greet Ada' },
      ]);

      await choose(page, 'Save as a prompt…');
      const dialog = dialogOf(page);
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Greeting');
      await dialog.getByRole('textbox', { name: 'Description' }).fill('For the door');
      // What the model said is no part of it, unless it is wanted.
      const boxes = await dialog.getByRole('checkbox').all();
      expect(await Promise.all(boxes.map((box) => box.isChecked()))).toEqual([true, true, false]);
      await screenshot('prompts-save');
      expect(await check()).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await barOf(page).getByText('Greeting').waitFor();
      await barOf(page).getByText('Version 1').waitFor();
      expect(await readPrompt('greeting')).toMatchObject({
        name: 'Greeting',
        description: 'For the door',
        variables: ['tone', 'name'],
        versions: [
          {
            model: 'acme/chat',
            parameters: null,
            created_by: 'Mo',
            messages: [{ content: 'Be {{tone}}.' }, { content: 'Greet {{name}}' }],
          },
        ],
      });
      // Kept with the experiment in this browser.
      await page.reload();
      await barOf(page).getByText('Version 1').waitFor();
      expect(await variables.getByRole('textbox', { name: 'name' }).inputValue()).toBe('Ada');
      expect(problems).toEqual([]);
    });

    test('opens a prompt from the list, says when it is changed, and saves the next version', async () => {
      const id = await keep('Doorman', 'You are a doorman. Be {{tone}}.');
      const { page, problems } = await open();
      await choose(page, 'Open a prompt…');
      await page.getByRole('searchbox', { name: 'Find a prompt' }).fill('doorman');
      await page.getByRole('button', { name: 'Open Doorman' }).click();
      await dialogOf(page).waitFor({ state: 'detached' });
      await barOf(page).getByText('Version 1').waitFor();
      await page.getByText('Greet {{name}}', { exact: true }).waitFor();
      expect(await barOf(page).getByRole('button', { name: 'Save a version' }).isDisabled()).toBe(true);
      await typeSystem(page, 'You are a doorman. Be kind.');
      await barOf(page).getByText('changed', { exact: true }).waitFor();
      // What was said while trying it is no part of the next version.
      await page.keyboard.press('Control+Enter');
      await said(page).waitFor();
      expect(requests.at(-1)).toMatchObject({
        temperature: 0.5,
        messages: [{ content: 'You are a doorman. Be kind.' }, { content: 'Greet {{name}}' }],
      });
      await barOf(page).getByRole('button', { name: 'Save a version' }).click();
      await dialogOf(page).getByRole('textbox', { name: 'What’s new (optional)' }).fill('Kinder');
      await dialogOf(page).getByRole('button', { name: 'Save' }).click();
      await barOf(page).getByText('Version 2').waitFor();
      await barOf(page).getByText('changed', { exact: true }).waitFor({ state: 'detached' });
      expect(await readPrompt(id)).toMatchObject({
        current_version: 2,
        versions: [{ version: 2, note: 'Kinder', messages: [{ role: 'system' }, { role: 'user' }] }, { version: 1 }],
      });
      expect(problems).toEqual([]);
    });

    test('says that there is nothing to save', async () => {
      const { page } = await open();
      await choose(page, 'Save as a prompt…');
      await dialogOf(page).getByText('There is nothing to save yet.').waitFor();
      await page.keyboard.press('Escape');
      await dialogOf(page).waitFor({ state: 'detached' });
    });

    test('shows what a version changed, and makes an earlier one current again, with undo', async () => {
      const id = await keep('Butler', 'You are a butler. Be very polite.', 'You are a butler. Be polite.');
      const { page, problems, check, screenshot } = await open();
      await choose(page, 'Open a prompt…');
      await page.getByRole('button', { name: 'Versions of Butler' }).click();
      const second = page.getByRole('region', { name: 'Version 2' });
      await second.getByRole('deletion').filter({ hasText: 'very' }).waitFor();
      await second.getByText('Same text as version 1').first().waitFor();
      const list = page.getByRole('list', { name: 'Versions' });
      expect(
        await list.getByRole('button').evaluateAll((items) => items.map(({ textContent }) => textContent)),
      ).toEqual([
        expect.stringMatching(/^Version 2currentShorter.* by Mo$/),
        expect.stringMatching(/^Version 1.* by Mo$/),
      ]);
      await screenshot('prompts-versions');
      expect(await check()).toEqual([]);
      await list.getByRole('button', { name: /^Version 1/ }).click();
      await page.getByLabel('Differences from').selectOption({ label: 'Differences from version 2' });
      const first = page.getByRole('region', { name: 'Version 1' });
      await first.getByRole('insertion').filter({ hasText: 'very' }).waitFor();
      await first.getByRole('button', { name: 'Make it current' }).click();
      await page.getByText('Version 1 is current.').waitFor();
      expect(await readPrompt(id)).toMatchObject({ current_version: 1 });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Version 1 is current.').waitFor({ state: 'detached' });
      await expect.poll(() => readPrompt(id)).toMatchObject({ current_version: 2 });
      await first.getByRole('button', { name: 'Make it current' }).click();
      await page.getByText('Version 1 is current.').waitFor();
      await first.getByRole('button', { name: 'Open in the playground' }).click();
      await barOf(page).getByText('Version 1').waitFor();
      expect(problems).toEqual([]);
    });

    test('renames a prompt, and deletes it after a question', async () => {
      const id = await keep('Clerk', 'You are a clerk.');
      const { page, problems, check } = await open();
      await choose(page, 'Open a prompt…');
      await page.getByRole('button', { name: 'Versions of Clerk' }).click();
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Officer');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Officer' }).waitFor();
      await page.getByRole('button', { name: 'All prompts' }).click();
      await page.getByRole('button', { name: 'Open Officer' }).click();
      await barOf(page).getByText('Officer').waitFor();
      await choose(page, 'Open a prompt…');
      await page.getByRole('button', { name: 'Delete Officer' }).click();
      const question = page.getByRole('dialog', { name: 'Delete “Officer”?' });
      await question.getByText('Its version will be deleted. This can’t be undone.').waitFor();
      expect(await check()).toEqual([]);
      await question.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Open Officer' }).waitFor({ state: 'detached' });
      expect((await ui.call(`/admin/v1/prompts/${id}`, { key: MANAGEMENT_KEY })).status).toBe(404);
      await page.getByRole('button', { name: 'Close' }).first().click();
      await barOf(page).getByText('This prompt was deleted.').waitFor();
      await barOf(page).getByRole('button', { name: 'Detach from the prompt' }).click();
      await barOf(page).waitFor({ state: 'detached' });
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    });

    test('keeps the prompt of a request that was recorded', async () => {
      const messages = [
        { role: 'system', content: 'You are a porter.' },
        { role: 'user', content: 'Where to?' },
      ];
      const body = { model: 'acme/chat', messages, stream: true };
      const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
      await response.text();
      const { page, problems } = await open(`#/generations?open=${response.headers.get('x-generation-id') ?? ''}`);
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Save as prompt…' }).click();
      await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('Porter');
      await dialogOf(page).getByRole('button', { name: 'Save' }).click();
      await barOf(page).getByText('Porter').waitFor();
      expect(await readPrompt('porter')).toMatchObject({ model: 'acme/chat', versions: [{ messages }] });
      expect(problems).toEqual([]);
    });

    test('shows the reason of the gateway where a prompt cannot be saved', async () => {
      const { page } = await open();
      await page.getByRole('button', { name: 'Parameters' }).click();
      await page.getByRole('textbox', { name: /JSON/ }).fill('{"temprature":1}');
      await composerOf(page).fill('Hi');
      await choose(page, 'Save as a prompt…');
      await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('Odd');
      await dialogOf(page).getByRole('button', { name: 'Save' }).click();
      await dialogOf(page).getByRole('alert').getByText('parameters.temprature: is not a known field').waitFor();
    });

    test('is operated by keys alone, from the commands on', async () => {
      await keep('Keyed', 'By keys.');
      const { page, problems } = await open('#/settings');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      await page.keyboard.type('prompts library');
      await page.getByRole('option', { name: /^Prompts/, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      const search = page.getByRole('searchbox', { name: 'Find a prompt' });
      await search.waitFor();
      await page.keyboard.type('keyed');
      await page.getByRole('button', { name: 'Open Greeting' }).waitFor({ state: 'detached' });
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Open Keyed');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Version 1' }).waitFor();
      await page.getByRole('button', { name: 'Open in the playground' }).press('Enter');
      await barOf(page).getByText('Keyed').waitFor();
      await page.getByRole('button', { name: 'Prompts', exact: true }).press('Enter');
      await page.getByRole('menuitem', { name: 'Versions of “Keyed”…' }).press('Enter');
      await page.getByRole('region', { name: 'Version 1' }).waitFor();
      await page.keyboard.press('Escape');
      await dialogOf(page).waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Prompts');
      expect(problems).toEqual([]);
    });

    test.each([
      ['en-US', 480, 'dark'],
      ['de-DE', 480, 'light'],
      ['de-DE', 1440, 'dark'],
    ] as const)('fits its window, in %s at %i pixels, %s', async (locale, width, colorScheme) => {
      const name = `Empfangsgespräch ${locale} ${width}`;
      await keep(name, '# Rolle\n\nBe {{tone}} to {{a_guest_with_a_very_long_name_that_goes_on}}.', 'Be **kind**.');
      const german = locale === 'de-DE';
      const opened = await open('#/playground?models=acme/chat', {
        locale,
        colorScheme,
        viewport: { width, height: 900 },
      });
      const { page, check, problems, screenshot } = opened;
      const look = async (what: string): Promise<void> => {
        await screenshot(`prompts-${what}-${locale}-${width}`);
        expect(await check()).toEqual([]);
        expect(await page.evaluate(FIND_UNFIT)).toEqual([]);
        expect(await page.evaluate(WIDTH)).toBeLessThanOrEqual(width);
        expect(await page.evaluate(SCROLLS_SIDEWAYS)).toEqual([]);
      };
      await choose(page, german ? 'Prompt öffnen…' : 'Open a prompt…');
      await page.getByRole('button', { name: german ? `${name}: Öffnen` : `Open ${name}` }).waitFor();
      await look('list');
      await page.getByRole('button', { name: `${german ? 'Versionen von' : 'Versions of'} ${name}` }).click();
      await page.getByRole('deletion').first().waitFor();
      await look('versions');
      await page.getByRole('button', { name: /^Version 1/ }).click();
      await page.getByRole('button', { name: german ? 'Im Playground öffnen' : 'Open in the playground' }).click();
      await page.getByText(german ? '(Version 2 ist aktuell)' : '(version 2 is current)').waitFor();
      await page.getByRole('textbox', { name: 'tone' }).fill('brief');
      await look('bar');
      await choose(page, german ? 'Version speichern…' : 'Save a version…');
      await page.getByRole('radio', { name: german ? 'Neuer Prompt' : 'New prompt' }).click();
      await look('save');
      expect(problems).toEqual([]);
    });
  },
);
