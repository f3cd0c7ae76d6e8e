import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from './examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from './launch-ui.ts';

const LIVE_KEY = 'sk-gw-v1-e2e-0123456789abcdef0123456789abcdef';
const note = skipped === undefined ? '' : `, skipped: ${skipped}`;

let ui: Ui;
let dir: string;

const completion = (content: string) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'one',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

const toStream = (content: string): string =>
  [
    ...content.split(/(?= )/).map((piece) => ({ delta: { content: piece }, finish_reason: null })),
    { delta: {}, finish_reason: 'stop' },
  ]
    .map((choice) => {
      const chunk = { ...completion(''), object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] };
      return `data: ${JSON.stringify(chunk)}\n\n`;
    })
    .concat('data: [DONE]\n\n')
    .join('');

/** A case of the provider Acme for one prompt, streamed or not. */
function writeCase(name: string, prompt: string, text: string, about: object = {}): void {
  const folder = join(dir, 'acme', 'chat-completions', name);
  mkdirSync(folder, { recursive: true });
  const write = (file: string, value: object): void => writeFileSync(join(folder, file), JSON.stringify(value));
  const system = { role: 'system', content: `Speak plainly. ${'Be brief and to the point. '.repeat(20)}` };
  write('request.json', { model: 'one', messages: [system, { role: 'user', content: prompt }] });
  write('response.json', completion(text));
  writeFileSync(join(folder, 'response.sse'), toStream(text));
  write('meta.json', {
    synthetic: true,
    date: '2026-11-21',
    model: 'one',
    status: 200,
    note: `Answers: ${text}`,
    ...about,
  });
}

/** Sends a request that differs from a case in what is given here. */
async function ask(content: string, temperature = 1): Promise<string> {
  const system = { role: 'system', content: `Speak plainly. ${'Be brief and to the point. '.repeat(20)}` };
  const body = { model: 'acme/one', temperature, messages: [system, { role: 'user', content }] };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.text();
  return response.headers.get('x-generation-id') ?? '';
}

const idOfMiss = async (prompt: string): Promise<string> => {
  const misses = (await (await ui.call('/admin/v1/fixtures/misses')).json()) as {
    data: readonly { id: string; prompt: string }[];
  };
  return misses.data.find((miss) => miss.prompt === prompt)?.id ?? 'none';
};

/** Checks a screen for all kinds of users. */
async function lookAt(opened: UiPage, name: string): Promise<void> {
  const { page, problems, check, screenshot } = opened;
  for (const colorScheme of ['dark', 'light'] as const) {
    await setTheme(opened, colorScheme);
    expect(await check()).toEqual([]);
    await screenshot(`${name}-${colorScheme}`);
  }
  await page.setViewportSize({ width: 320, height: 700 });
  await screenshot(`${name}-narrow`);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  expect(problems).toEqual([]);
}

const CASE = 'acme/chat-completions/synthetic-joke';

describe.skipIf(skipped !== undefined)(`the web UI of fixtures${note}`, { timeout: 60_000 }, () => {
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'e2e-fixtures-'));
    writeCase('synthetic-joke', 'Tell me a joke', 'A short one, then.');
    writeCase('synthetic-poem', 'Tell me a poem', 'Roses are red.');
    writeCase('synthetic-hello', 'Hello!', 'Hello to you.', {
      model: 'two',
      match: { fields: { model: 'two' }, lastUserMessage: '^hello' },
    });
    ui = await launchUi({ fixtures: dir });
    await ask('Tell me a joke');
    await ask('Tell me two jokes', 0.2);
    await ask('Tell me two jokes', 0.2);
  }, 60_000);
  afterAll(async () => {
    await ui?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test.each([
    ['fixtures', () => '#/fixtures'],
    ['fixture', () => `#/fixtures?open=${CASE}`],
    ['fixtures-none', () => '#/fixtures?q=nothing-has-this-name'],
    ['fixtures-unused', () => '#/fixtures?set=acme/chat-completions&use=unused'],
    ['misses', () => '#/fixtures?view=misses'],
    ['miss', async () => `#/fixtures?view=misses&open=${await idOfMiss('Tell me two jokes')}`],
    ['misses-none', () => '#/fixtures?view=misses&q=nothing-has-this-name'],
  ])('shows %s without a fault, dark, light and narrow, so that all users can use it', async (name, hash) => {
    await lookAt(await ui.open(await hash(), { reducedMotion: 'reduce' }), name);
  });

  test('tells of the mode, the sets, the cases and how often each was used, by mouse', async () => {
    const { page, problems } = await ui.open('#/');
    await page.getByRole('button', { name: 'Mode: Replay' }).click();
    await page.getByRole('menuitem', { name: 'Open Fixtures' }).click();
    const mode = page.getByRole('region', { name: 'Mode' });
    await mode.getByText('Fixtures respond to all requests.').waitFor();
    await mode.getByText(dir).waitFor();
    await page.getByRole('row', { name: /synthetic-joke.*6 chunks.*1×/ }).waitFor();
    await page.getByRole('button', { name: 'acme/chat-completions 3' }).click();
    await page.getByLabel('Use').selectOption('Not used yet');
    await page.getByRole('row', { name: /synthetic-joke/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /synthetic-poem.*never/ }).click();
    const panel = page.getByRole('region', { name: 'Fixture acme/chat-completions/synthetic-poem' });
    await panel.getByLabel('File').selectOption('response.json');
    await panel.getByText('Roses are red.').waitFor();
    expect(await panel.getByRole('treeitem').count()).toBe(0);
    await panel.getByRole('radio', { name: 'Raw' }).click();
    await panel.getByRole('treeitem', { name: /object:.*chat.completion/ }).waitFor();
    await panel.getByRole('tab', { name: 'About' }).click();
    await panel.getByText('Answers: Roses are red.').waitFor();
    await panel.getByText('nothing, because it was not recorded').waitFor();
    await panel.getByRole('button', { name: 'Close panel' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.getByLabel('Filter fixtures').fill('nothing-has-this-name');
    await page.getByText('No matching fixtures').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /synthetic-joke/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test('shows what a miss differs in, and lets the nearest fixture answer it, by mouse', async () => {
    const { page, problems, check } = await ui.open('#/fixtures');
    await page.getByRole('radio', { name: 'Misses (1)' }).click();
    await page.getByRole('row', { name: /Tell me two jokes.*synthetic-joke.*2×/ }).click();
    const diff = page.getByRole('list', { name: 'Differences' });
    await diff.getByText('messages.1.content').waitFor();
    expect(await diff.locator('del').allTextContents()).toEqual(['a joke']);
    expect(await diff.locator('ins').allTextContents()).toEqual(['two jokes', '0.2']);
    await diff.getByText('absent').waitFor();
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByRole('treeitem', { name: /temperature/ }).waitFor();
    await page.getByRole('tab', { name: 'Differences' }).click();
    await page.getByRole('button', { name: 'Accept as alias' }).click();
    await page.getByText(/^It is used from now on/).waitFor();
    await page.getByRole('region', { name: /^Fixture acme.*synthetic-alias-tell-me-two-jokes/ }).waitFor();
    expect(await check()).toEqual([]);
    expect(await ask('Tell me two jokes', 0.2)).not.toBe('');
    expect(problems).toEqual([]);
  });

  test('does the same by keyboard alone', async () => {
    await ask('Tell me three poems');
    const { page, problems } = await ui.open('#/');
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('grid', { name: 'Fixtures' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Response' }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('tree', { name: 'Request' }).waitFor();
    await page.keyboard.press('[');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: /^Fixture acme/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('poem');
    await page.getByRole('row', { name: /synthetic-joke/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /synthetic-joke/ }).waitFor();

    await page.getByRole('radio', { name: /^Misses/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: 'Misses' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Accept as alias' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: /^Fixture acme.*synthetic-alias-tell-me-three-poems/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test('saves a generation as a fixture, by mouse and by keyboard', async () => {
    const id = await ask('Tell me a poem');
    const { page, problems, go } = await ui.open(`#/generations?open=${id}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Save as fixture' }).click();
    await page.getByText('Saved as a fixture', { exact: true }).waitFor();
    const folder = join(dir, '_edge', 'chat-completions', `synthetic-${id}`);
    expect(readFileSync(join(folder, 'request.json'), 'utf8')).toContain('Tell me a poem');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('region', { name: `Fixture _edge/chat-completions/synthetic-${id}` }).waitFor();

    rmSync(folder, { recursive: true });
    await go(`#/generations/${id}`);
    await page.getByRole('button', { name: 'More' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    // The focus of the entry counts, not that of the menu: the menu has the focus at first, and contains the texts of
    // all entries.
    const pressDown = async (): Promise<string> => {
      await page.keyboard.press('ArrowDown');
      return (await page.locator('[role="menuitem"]:focus').allTextContents()).join();
    };
    await expect.poll(pressDown).toContain('Save as fixture');
    await page.keyboard.press('Enter');
    await expect.poll(() => existsSync(folder)).toBe(true);
    expect(problems).toEqual([]);
  });

  test('saves a response of the playground', async () => {
    const { page, problems, check } = await ui.open('#/playground?models=acme/two');
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello!');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').getByText('ok', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save as fixture' }).click();
    await page.getByText('Saved as a fixture', { exact: true }).waitFor();
    expect(await check()).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('Saved as a fixture', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save as fixture' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Saved as a fixture', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });
});

/** A gateway whose provider responds "Lisbon." to everything. */
async function launchLive(fixtures?: string) {
  const upstream: Server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion('Lisbon.')));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const managementKey = `${LIVE_KEY}-management`;
  const config = {
    auth: {
      bootstrapKeys: [
        { key: LIVE_KEY, kind: 'api', name: 'dev' },
        { key: managementKey, kind: 'management', name: 'admin' },
      ],
    },
    providers: [{ slug: 'here', wire: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` }],
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'here', providerModel: 'm' }] }],
  };
  ui = await launchUi({ config, managementKey, ...(fixtures !== undefined && { fixtures }) });
  return upstream;
}

async function askLive(content: string): Promise<string> {
  const body = { model: 'acme/chat', messages: [{ role: 'user', content }] };
  const response = await ui.call('/api/v1/chat/completions', { key: LIVE_KEY, body });
  return ((await response.json()) as { id: string }).id;
}

describe.skipIf(skipped !== undefined)(`the web UI without fixtures${note}`, { timeout: 60_000 }, () => {
  let upstream: Server;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'e2e-fixtures-'));
    upstream = await launchLive();
  }, 60_000);
  afterAll(async () => {
    await ui?.close();
    upstream?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('tells how they are recorded', async () => {
    const opened = await ui.open('#/fixtures', { reducedMotion: 'reduce' });
    await opened.page.getByText('Nothing is recorded yet').waitFor();
    await opened.page.getByRole('button', { name: 'Mode: Live' }).waitFor();
    await lookAt(opened, 'fixtures-live');
  });

  test('downloads what is saved as an archive that tar unpacks', async () => {
    const id = await askLive('The capital of Portugal?');
    const { page, problems } = await ui.open(`#/generations/${id}`);
    await page.getByRole('button', { name: 'More' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Save as fixture' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`synthetic-${id}.tar`);
    const file = join(dir, 'case.tar');
    await download.saveAs(file);
    execFileSync('tar', ['-xf', file, '-C', dir], { stdio: ['ignore', 'pipe', 'pipe'] });
    const folder = join(dir, '_edge', 'chat-completions', `synthetic-${id}`);
    expect(readFileSync(join(folder, 'response.json'), 'utf8')).toContain('Lisbon.');
    await page.getByText(/^To add it to .* tar -xf/).waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(skipped !== undefined)(`the web UI while fixtures are recorded${note}`, { timeout: 60_000 }, () => {
  let upstream: Server;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'e2e-fixtures-'));
    upstream = await launchLive(dir);
  }, 60_000);
  afterAll(async () => {
    await ui?.close();
    upstream?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('shows each as soon as it is there, and that nothing is missed', async () => {
    const opened = await ui.open('#/fixtures', { reducedMotion: 'reduce' });
    const { page } = opened;
    await page.getByText('No fixtures yet').waitFor();
    expect(await opened.check()).toEqual([]);
    await askLive('The capital of Portugal?');
    await page.getByRole('row', { name: /the-capital-of-portugal/ }).click();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText('nothing: it contained no keys or header values').waitFor();
    await page.getByRole('region', { name: 'Mode' }).getByText('All requests go to providers').waitFor();
    await lookAt(opened, 'fixtures-recorded');
    await page.setViewportSize({ width: 1360, height: 850 });
    await page.getByRole('button', { name: 'Close panel' }).click();
    await page.getByRole('radio', { name: 'Misses' }).click();
    await page.getByText('Misses occur only in replay mode').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
