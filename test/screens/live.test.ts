import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { examine } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const KEY = 'sk-gw-v1-e2e-live-0123456789abcdef01234567';
const MANAGEMENT_KEY = 'sk-gw-v1-e2e-live-management-0123456789abcdef';
const note = skipped === undefined ? '' : `, skipped: ${skipped}`;

/** A provider that begins a stream and ends it when it is told to; whole answers come at once. */
async function startProvider(): Promise<{ server: Server; url: string; finish: () => void }> {
  const held = new Set<ServerResponse>();
  const toChunk = (content: string, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
  const respond = (body: string, response: ServerResponse): void => {
    const { model = '', stream = false } = (body === '' ? {} : JSON.parse(body)) as {
      model?: string;
      stream?: boolean;
    };
    if (!stream) {
      const message = { role: 'assistant', content: `Said by ${model}` };
      const choices = [{ index: 0, finish_reason: 'stop', message }];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'x', choices }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(toChunk('It was a dark and stormy night'));
    held.add(response);
    response.on('close', () => held.delete(response));
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (data) => (body += String(data)));
    request.on('end', () => respond(body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    finish() {
      for (const response of held) response.end(`${toChunk('.', 'stop')}data: [DONE]\n\n`);
    },
  };
}

/** What of the head of the page lies over something else, or beyond its edge. */
const OVERLAPS = `(() => {
  const shown = [...document.querySelector('header').querySelectorAll('button, [role=status]')]
    .map((element) => ({ name: element.getAttribute('aria-label') ?? element.textContent, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 1)
    .toSorted((one, other) => one.box.left - other.box.left);
  return shown
    .filter(({ box }, at) => box.right > (shown[at + 1]?.box.left ?? innerWidth))
    .map(({ name }) => name);
})()`;

describe.skipIf(skipped !== undefined)(`what happens now${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  let provider: Awaited<ReturnType<typeof startProvider>>;

  beforeAll(async () => {
    provider = await startProvider();
    const model = (id: string) => ({
      id: `acme/${id}`,
      endpoints: [{ provider: 'acme', providerModel: id, pricing: { prompt: '0.000001', completion: '0.001' } }],
    });
    ui = await launchUi({
      managementKey: MANAGEMENT_KEY,
      config: {
        auth: {
          bootstrapKeys: [
            { key: KEY, kind: 'api', name: 'my app' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'me' },
          ],
        },
        providers: [
          { slug: 'acme', name: 'Acme', wire: 'openai', baseUrl: `${provider.url}/v1`, apiKey: 'secret-of-acme' },
        ],
        models: [model('quick'), model('slow')],
      },
    });
  }, 60_000);
  afterAll(async () => {
    // The gateway would wait for what is still under way.
    provider?.server.closeAllConnections();
    provider?.server.close();
    await ui?.close();
  });

  const ask = (model: string, content: string, stream = false) =>
    ui.call('/api/v1/chat/completions', {
      key: KEY,
      body: { model: `acme/${model}`, stream, messages: [{ role: 'user', content }] },
    });
  const begin = async (content: string): Promise<{ id: string; text: Promise<string> }> => {
    const response = await ask('slow', content, true);
    return { id: response.headers.get('x-generation-id') ?? '', text: response.text() };
  };

  test('cancels a stream from the list, where it stands on top, and tells who ended it', async () => {
    const { id, text } = await begin('A long story');
    const opened = await ui.open('#/generations', { reducedMotion: 'reduce' });
    const { page } = opened;
    const bar = page.getByRole('region', { name: 'Requests in progress' });
    await bar.getByText('acme/slow').waitFor();
    const row = bar.getByRole('listitem');
    await expect.poll(() => row.textContent()).toMatch(/responding.*acme\/slow via Acme.*my app.*\d+ out.*\$0\.00/);
    expect(await examine(opened, 'live-under-way')).toEqual([]);

    await row.getByRole('button', { name: /^responding/ }).click();
    await page.getByText('Timeline, prompt and response appear when the request ends.').waitFor();
    expect(await examine(opened, 'live-open-call')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel', exact: true }).last().click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this request?' });
    await dialog.getByText('about $0.0').waitFor();
    expect(await examine(opened, 'live-cancel')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel request' }).click();

    expect(await text).toContain('The operator of the gateway cancelled this call');
    await page.getByText('Request cancelled', { exact: true }).waitFor();
    await bar.waitFor({ state: 'detached' });
    // The panel becomes that of the recorded call by itself.
    await page.getByText('by the operator').first().waitFor();
    const record = (await (await ui.call(`/api/v1/generation?id=${id}`)).json()) as { data: object };
    expect(record.data).toMatchObject({ cancelled: true, cancelled_by: 'operator' });
    expect(opened.problems).toEqual([]);
  });

  test('goes to the calls under way by key, walks and cancels them', async () => {
    const one = await begin('One');
    const other = await begin('Other');
    const { page } = await ui.open('#/generations');
    await page.getByRole('region', { name: 'Requests in progress' }).getByRole('listitem').nth(1).waitFor();
    await page.keyboard.press('w');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.dataset.call')).toBe(other.id);
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Cancel this request?' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await other.text).toContain('cancelled this call');
    provider.finish();
    expect(await one.text).not.toContain('cancelled this call');
    await page.getByRole('region', { name: 'Requests in progress' }).waitFor({ state: 'detached' });
    await page.keyboard.press('w');
    await page.getByText('No request has been running for longer than a second', { exact: true }).waitFor();
  });

  test('lists calls under way on the overview, from which one is opened', async () => {
    const { id } = await begin('On the overview');
    const opened = await ui.open('#/', { reducedMotion: 'reduce' });
    const { page } = opened;
    await page
      .getByRole('region', { name: 'Requests in progress' })
      .getByRole('button', { name: /^responding/ })
      .click();
    await page.getByRole('region', { name: `Generation ${id}` }).waitFor();
    await page.getByText('Running for').waitFor();
    // A call that ends by itself becomes its record, too.
    provider.finish();
    await page.getByRole('tab', { name: 'Timeline' }).waitFor();
  });

  test('records from a click to a click, and shows what was recorded', async () => {
    await (await ask('quick', 'Before')).text();
    const opened = await ui.open('#/fixtures', { reducedMotion: 'reduce' });
    const { page, problems } = opened;
    await page.getByText('Nothing is recorded yet').waitFor();
    expect(await examine(opened, 'live-nothing-recorded')).toEqual([]);
    await page.getByRole('button', { name: 'Record now' }).click();
    const stop = page.getByRole('button', { name: /^Stop recording/ });
    await stop.waitFor();
    await page.getByRole('button', { name: 'Mode: Record all' }).waitFor();
    await (await ask('quick', 'While it records')).text();
    await page.getByRole('button', { name: 'Stop recording, 1 so far' }).waitFor();
    expect(await examine(opened, 'live-recording')).toEqual([]);
    for (const width of [480, 768, 900, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await opened.screenshot(`live-recording-${width}`);
      expect(await page.evaluate<string[]>(OVERLAPS), `${width} pixels`).toEqual([]);
    }
    await page.setViewportSize({ width: 1360, height: 850 });
    await opened.go('#/generations');
    await stop.click();
    await page.getByText('1 recorded', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Fixtures' }).waitFor();
    await page.getByRole('button', { name: /^Recorded since/ }).waitFor();
    await page.getByText(/while-it-records-/).waitFor();
    await page.getByRole('button', { name: 'Mode: Live' }).waitFor();
    expect(await examine(opened, 'live-recorded')).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('switches the mode in the head of every screen, and says everywhere which it is', async () => {
    const opened = await ui.open('#/', { reducedMotion: 'reduce' });
    const other = await ui.open('#/fixtures');
    const { page, problems } = opened;
    await page.getByRole('button', { name: 'Mode: Live' }).click();
    await page.getByRole('menuitemradio', { name: /^Live/, checked: true }).waitFor();
    expect(await examine(opened, 'live-mode-menu')).toEqual([]);
    await page.getByRole('menuitemradio', { name: /^Replay/ }).click();
    await page.getByRole('button', { name: 'Mode: Replay' }).waitFor();
    expect((await ask('quick', 'While it records')).status).toBe(200);
    expect((await ask('quick', 'Never recorded')).status).toBe(404);
    // The other page learns of it when its user turns to it.
    await other.page.bringToFront();
    await other.page.evaluate("dispatchEvent(new Event('focus'))");
    await other.page.getByRole('button', { name: 'Mode: Replay' }).waitFor();
    await other.page.getByRole('region', { name: 'Mode' }).getByText('Replay', { exact: true }).waitFor();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Mode: Replay' }).click();
    await page.getByRole('menuitemradio', { name: /^Live/ }).click();
    await page.getByRole('button', { name: 'Mode: Live' }).waitFor();
    expect((await ask('quick', 'Never recorded')).status).toBe(200);
    expect(problems).toEqual([]);
  });

  test('is never switched by a word that was not finished, nor without a question', async () => {
    await ui.call('/api/v1/keys', { body: { name: 'Coding agents' } });
    const opened = await ui.open('#/settings');
    const { page, problems } = opened;
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    const find = async (typed: string): Promise<void> => {
      if (!(await palette.isVisible())) await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search and commands' }).fill(typed);
    };
    for (const typed of ['coding', 'rec', 'repl', 'mode', 'error', 'docs', 're']) {
      await find(typed);
      await palette.getByRole('option', { selected: true }).or(palette.getByText('No results.')).waitFor();
      if (typed === 'coding') {
        await palette.getByRole('option', { name: /Coding agents/ }).waitFor();
        // Keys come after the first letters of the first search.
        await find('');
        await find(typed);
        await palette.getByRole('option', { name: /Coding agents/, selected: true }).waitFor();
      }
      await page.keyboard.press('Enter');
      // Either something else was found, or the question stands there; neither has switched anything.
      const question = page.getByRole('dialog', { name: /\?$/ });
      if (await question.isVisible()) {
        await question.getByText('This affects everyone who uses this gateway.').waitFor();
        // A second Enter, of a person who types ahead, cancels.
        await page.keyboard.press('Enter');
        await question.waitFor({ state: 'detached' });
      } else await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Mode: Live' }).waitFor();
    }
    await find('record missing');
    await page.getByRole('option', { name: 'Mode: Record missing', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Switch the gateway to Record missing?' }).waitFor();
    expect(await examine(opened, 'mode-question')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    const { data } = (await (await ui.call('/admin/v1/fixtures')).json()) as { data: { mode: string } };
    expect(data.mode).toBe('live');
    expect(problems).toEqual([]);
  });

  test('records by command, and goes back to the mode before', async () => {
    const { page, problems } = await ui.open('#/keys');
    const command = async (name: string, action: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
      await page.keyboard.type(name);
      await page.getByRole('option', { name, exact: true, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
    };
    await command('Mode: Replay', 'Switch to Replay');
    await page.getByRole('button', { name: 'Mode: Replay' }).waitFor();
    await command('Record now', 'Record');
    await page.getByRole('button', { name: /^Stop recording/ }).waitFor();
    // Its number is not shown yet when the recording ends.
    await (await ask('quick', 'By command')).text();
    await command('Stop recording', 'Stop recording');
    await page.getByText(/^by-command-/).waitFor();
    await page.getByRole('button', { name: 'Mode: Replay' }).waitFor();
    await command('Mode: Live', 'Switch to Live');
    await page.getByRole('button', { name: 'Mode: Live' }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(skipped !== undefined)(`the mode of the demo${note}`, { timeout: 60_000 }, () => {
  test('is the same word in the head and on its screen, and cannot be switched, for a reason', async () => {
    const ui = await launchUi();
    try {
      const opened = await ui.open('#/fixtures', { reducedMotion: 'reduce', isKept: true });
      const { page } = opened;
      await page.getByRole('region', { name: 'Mode' }).getByText('Demo', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Record now' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Mode: Demo' }).click();
      await page.getByText(/The demo has no provider that could be called or recorded/).waitFor();
      expect(await page.getByRole('menuitemradio').count()).toBe(0);
      expect(await examine(opened, 'live-demo-mode')).toEqual([]);
    } finally {
      await ui.close();
    }
  });

  test('is no longer said to run six seconds after its process died', async () => {
    const ui = await launchUi();
    try {
      const { page } = await ui.open('#/', { isKept: true });
      await page.getByRole('status').getByText('Running', { exact: true }).waitFor();
      ui.kill();
      await page.getByRole('status').getByText('Unreachable', { exact: true }).waitFor({ timeout: 6500 });
      expect(await page.getByText('Running', { exact: true }).count()).toBe(0);
    } finally {
      await ui.close();
    }
  });
});
