import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { launchUi, skipped, type Ui } from './launch-ui.ts';
import { type Echo, startEcho } from './start-echo.ts';

const API_KEY = 'sk-gw-v1-telling-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;

let ui: Ui;
let echo: Echo;
const ids = { ok: '', fallback: '', failed: '', twice: '', film: '' };

async function findClosedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const endpointAt = (provider: string, providerModel: string) => ({ provider, providerModel });

const toConfig = (echoUrl: string, closedPort: number): object => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: 'dev' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  },
  webhooks: { allowPrivateNetwork: true },
  providers: [
    { slug: 'here', name: 'Here', wire: 'openai', baseUrl: `${echoUrl}/v1` },
    { slug: 'gone', name: 'Gone', wire: 'openai', baseUrl: `http://127.0.0.1:${closedPort}/v1` },
  ],
  models: [
    { id: 'acme/both', endpoints: [endpointAt('gone', 'echo'), endpointAt('here', 'echo')] },
    { id: 'acme/twice', endpoints: [endpointAt('gone', 'first'), endpointAt('gone', 'second')] },
    { id: 'acme/dead', endpoints: [endpointAt('gone', 'dead')] },
    {
      id: 'acme/film',
      architecture: { input_modalities: ['text'], output_modalities: ['video'] },
      endpoints: [endpointAt('here', 'film')],
    },
  ],
});

async function ask(model: string, more: object = {}): Promise<string> {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...more };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  return response.headers.get('x-generation-id') ?? '';
}

/** The id of the generation of a film that fails. */
async function makeFilm(): Promise<string> {
  const body = { model: 'acme/film', prompt: 'The fox refuses' };
  const { id } = (await (await ui.call('/api/v1/videos', { key: API_KEY, body })).json()) as { id: string };
  const look = async () =>
    (await (await ui.call(`/api/v1/videos/${id}`, { key: API_KEY })).json()) as {
      status: string;
      generation_id: string;
    };
  const isFailed = async () => expect((await look()).status).toBe('failed');
  await vi.waitFor(isFailed, { timeout: 40_000, interval: 200 });
  return (await look()).generation_id;
}

const tabOf = (page: Page): Promise<string | null> => page.getByRole('tab', { selected: true }).textContent();
const hashOf = (page: Page): string => new URL(page.url()).hash;

describe.skipIf(skipped !== undefined)(
  `what the web UI tells of calls${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 90_000 },
  () => {
    beforeAll(async () => {
      echo = await startEcho();
      ui = await launchUi({ config: toConfig(echo.url, await findClosedPort()), managementKey: MANAGEMENT_KEY });
      const filming = makeFilm();
      ids.ok = await ask('acme/both', { provider: { only: ['here'] } });
      ids.fallback = await ask('acme/both', { provider: { order: ['gone', 'here'] } });
      ids.twice = await ask('acme/twice');
      ids.failed = await ask('acme/dead');
      ids.film = await filming;
    }, 90_000);
    afterAll(async () => {
      await ui?.close();
      echo?.close();
    });

    test('says of a failed video who was asked, and why there is none', async () => {
      const { page, problems, screenshot } = await ui.open(`#/generations/${ids.film}`);
      const attempts = page.getByRole('list', { name: 'Attempts' });
      await attempts.getByText('Here', { exact: true }).waitFor();
      await attempts.getByText('The fox refuses').waitFor();
      await screenshot('attempts-of-a-video');
      const text = await page.locator('main').innerText();
      expect(text).toContain('via Here');
      expect(text).not.toMatch(/nobody|no provider was called/i);
      expect(problems).toEqual([]);
    });

    test('says of every attempt what became of it, also of a call that succeeded in the end', async () => {
      const { page, problems, check, screenshot } = await ui.open(`#/generations?open=${ids.fallback}`);
      const attempts = page.getByRole('list', { name: 'Attempts' });
      await attempts.waitFor();
      const [first, second] = await attempts.getByRole('listitem').allInnerTexts();
      expect(first).toMatch(/Gone[^]*no response[^]*failed after \d+\sms[^]*502 .*Gone/);
      expect(second).toMatch(/Here[^]*200[^]*responded after/);
      expect(second).not.toContain('502');
      await screenshot('attempts-of-a-fallback');
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('writes no number of time, speed or money that a person would not', async () => {
      const { page, problems, go, screenshot } = await ui.open('#/models?open=acme/both');
      await page.getByRole('tab', { name: 'Endpoints' }).click();
      const here = page.getByRole('listitem').filter({ hasText: 'here' }).last();
      await here
        .getByText(/median/)
        .first()
        .waitFor();
      await screenshot('model-endpoints');
      const texts = [await page.locator('main').innerText()];
      for (const hash of ['', 'generations', 'keys', 'providers?open=here', 'videos', `generations/${ids.ok}`]) {
        await go(`#/${hash}`);
        texts.push(await page.locator('main').innerText());
      }
      await page.getByRole('radio', { name: 'Stream' }).click();
      await page.getByRole('radio', { name: 'List' }).click();
      texts.push(await page.getByRole('tabpanel').innerText());
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      texts.push(await page.getByRole('tabpanel').innerText());
      const raw = texts.flatMap((text) => text.match(/\b\d+\.\d{3,}\s*(ms|s|tokens|%)|\b[1-9]\d*\.\d{5,}/g) ?? []);
      expect(raw).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('keeps the tab while a person walks the list by keys and by mouse', async () => {
      const { page, problems } = await ui.open(`#/generations?open=${ids.fallback}`);
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      await page.getByRole('grid').focus();
      for (const key of ['j', 'k', 'ArrowDown', 'ArrowUp']) {
        const before = hashOf(page);
        await page.keyboard.press(key);
        await expect.poll(() => hashOf(page)).not.toBe(before);
        await page.getByText('Pre-checks').waitFor();
        expect(await tabOf(page)).toBe('Usage and cost');
      }
      await page.getByRole('tab', { name: 'Usage and cost' }).focus();
      await page.keyboard.press('j');
      await expect.poll(() => hashOf(page)).toContain(ids.ok);
      expect(await tabOf(page)).toBe('Usage and cost');
      await page
        .getByRole('row')
        .filter({ has: page.getByTitle('acme/dead') })
        .click();
      await expect.poll(() => hashOf(page)).toContain(ids.failed);
      await page.getByText('Pre-checks').waitFor();
      expect(await tabOf(page)).toBe('Usage and cost');
      expect(problems).toEqual([]);
    });

    test('walks from the page of a call to the next by keys, and sends it again', async () => {
      const { page, problems } = await ui.open(`#/generations?model=acme/both&open=${ids.fallback}`);
      await page.getByRole('row').filter({ hasText: 'acme/both' }).first().waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Enter');
      // The list, which has tabs beside it too, is gone before a tab is chosen.
      await expect.poll(() => hashOf(page)).toContain(`/generations/${ids.fallback}`);
      await page.getByRole('grid').waitFor({ state: 'detached' });
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      await page.keyboard.press('j');
      await expect.poll(() => hashOf(page)).toContain(`/generations/${ids.ok}`);
      expect(await tabOf(page)).toBe('Usage and cost');
      // It is the last of the list that the page was opened from.
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await expect.poll(() => hashOf(page)).toContain(`/generations/${ids.fallback}`);
      await page.keyboard.press('c');
      await page.getByText('ID copied').or(page.getByText('blocked access to the clipboard')).first().waitFor();
      await page.keyboard.press('r');
      await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
      await page.goBack();
      await page.getByRole('tab', { name: 'Usage and cost' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: `Generation ${ids.fallback}` }).waitFor();
      expect(hashOf(page)).toContain('model=acme');
      expect(problems.filter((problem) => !problem.includes('clipboard'))).toEqual([]);
    });

    test('walks from the page of a call whose address was given', async () => {
      const { page, problems } = await ui.open(`#/generations/${ids.fallback}`);
      await page.getByRole('tab', { name: 'Timeline' }).waitFor();
      // A key does nothing before the list that it walks has come.
      const walk = async (key: string): Promise<string> => {
        await page.keyboard.press(key);
        return hashOf(page);
      };
      await expect.poll(() => walk('j'), { timeout: 10_000 }).not.toContain(ids.fallback);
      await expect.poll(() => walk('k'), { timeout: 10_000 }).toContain(ids.fallback);
      expect(problems).toEqual([]);
    });

    test('does not say how a text would be sent that a guardrail blocks', async () => {
      const content_filter_builtins = [
        { slug: 'credit-card', action: 'block' },
        { slug: 'email', action: 'redact' },
      ];
      const created = await ui.call('/api/v1/guardrails', { body: { name: 'Cards', content_filter_builtins } });
      const { data } = (await created.json()) as { data: { id: string } };
      const { page, problems, screenshot } = await ui.open(`#/guardrails?open=${data.id}`);
      await page.getByRole('tab', { name: 'Test' }).click();
      const prompt = page.getByLabel('Prompt', { exact: true });
      await prompt.click();
      await page.keyboard.type('Write to jane@example.com about 4111 1111 1111 1111');
      await page.getByRole('button', { name: 'Test' }).click();
      const result = page.getByRole('status', { name: 'Result' });
      await result.getByText('blocked', { exact: true }).first().waitFor();
      await screenshot('guardrail-blocks');
      expect(await result.innerText()).not.toMatch(/would be sent|endpoints? available|4111|jane/);
      await prompt.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('Write to jane@example.com');
      await page.getByRole('button', { name: 'Test' }).click();
      await result.getByText('Write to [EMAIL]').waitFor();
      expect(await result.innerText()).toContain('It would be sent as');
      expect(problems).toEqual([]);
    });

    test('tells of first tokens where there were some, and of speeds that can be', async () => {
      const { page, problems, go } = await ui.open(`#/generations/${ids.failed}`);
      await page.getByText('via Gone').waitFor();
      expect(await page.locator('main').innerText()).not.toContain('first token');
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      expect(await page.getByRole('tabpanel').innerText()).not.toMatch(/— (tokens|in|out)|reported by the provider/);
      await go(`#/generations/${ids.ok}`);
      await page.getByText('via Here').waitFor();
      expect(await page.locator('main').innerText()).not.toContain('first token');
      expect(problems).toEqual([]);
    });

    test('names a failed attempt’s provider once beside its reason', async () => {
      const { page, problems } = await ui.open(`#/generations/${ids.twice}`);
      const note = page.getByRole('region', { name: 'Error' });
      await note.getByRole('listitem').waitFor();
      expect(await note.getByRole('listitem').innerText()).toMatch(/^502 Gone: [^:]+$/);
      expect(problems).toEqual([]);
    });

    test('says of a call that the gateway’s end has interrupted why its texts are not there', async () => {
      const { page } = await ui.open(`#/`);
      await page.route(/generation\/content/, (route) =>
        route.fulfill({ status: 404, json: { error: { code: 404, message: 'Not stored' } } }),
      );
      await page.route(/generation\?/, async (route) => {
        const response = await route.fetch();
        const { data } = (await response.json()) as { data: object };
        await route.fulfill({ response, json: { data: { ...data, interrupted: true, finish_reason: 'error' } } });
      });
      await page.goto(`${ui.url}/ui/#/generations/${ids.ok}`);
      await page.getByText('interrupted', { exact: true }).waitFor();
      await page.getByText('stopped during this request').waitFor();
      expect(await page.locator('main').innerText()).not.toContain('logging.inputOutput');
    });

    test('says how two compared calls ended, in the word of the list', async () => {
      const { page, problems } = await ui.open(`#/generations?compare=${ids.ok},${ids.failed}`);
      await page.getByRole('row', { name: 'Status ok failed' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('tells of a model for films how it is called, and offers no chat with it', async () => {
      const { page, problems, go } = await ui.open('#/models?open=acme/film');
      await page.getByRole('tab', { name: 'About' }).waitFor();
      const panel = page.getByRole('region', { name: 'Model acme/film' });
      expect(await panel.innerText()).not.toMatch(/— tokens|unknown per million/);
      expect(await panel.getByRole('link', { name: 'Playground' }).count()).toBe(0);
      await page.getByRole('tab', { name: 'Availability' }).click();
      await panel.getByText('POST /videos').waitFor();
      await page.getByRole('tab', { name: 'Code' }).click();
      await panel.getByText(/v1\/videos/).waitFor();
      expect(await panel.innerText()).not.toContain('/chat/completions');
      await go(`#/generations/${ids.film}`);
      await page.getByText('via Here').waitFor();
      expect(await page.getByRole('button', { name: 'Playground' }).isDisabled()).toBe(true);
      await page.keyboard.press('r');
      await page.getByText('The playground only sends chats').first().waitFor();
      expect(hashOf(page)).toContain(ids.film);
      expect(problems).toEqual([]);
    });

    test('shows a provider that refuses every connection as what it is, wherever it is shown', async () => {
      const { page, problems, go, screenshot } = await ui.open('#/providers?open=gone');
      await page.getByRole('row', { name: /Gone.*Down/ }).waitFor();
      await page.getByRole('row', { name: /^Failing.* 4/ }).waitFor();
      // Only states that an endpoint is in are listed.
      expect(await page.getByRole('row', { name: /^Steady/ }).count()).toBe(0);
      await screenshot('provider-gone');
      await go('#/models?open=acme/dead');
      await page.getByRole('tab', { name: 'Endpoints' }).click();
      await page.getByText('Failing', { exact: true }).waitFor();
      await page.getByText('0.0 %').waitFor();
      expect(await page.getByText('in service').count()).toBe(0);
      await page.getByRole('tab', { name: 'Availability' }).click();
      await page.getByText('none has responded recently').waitFor();
      await page.getByText('Failing', { exact: true }).waitFor();
      await screenshot('plan-gone');
      await go('#/');
      await page.getByText('Gone is down').waitFor();
      expect(problems).toEqual([]);
    });

    test('has one word for how a call ended, in lists, panels, filters and the playground', async () => {
      const { page, problems, go } = await ui.open(`#/generations?status=failed&open=${ids.failed}`);
      await page
        .getByRole('row')
        .filter({ has: page.getByTitle('acme/dead') })
        .getByText('failed', { exact: true })
        .waitFor();
      const panel = page.getByRole('region', { name: `Generation ${ids.failed}` });
      await panel.getByText('failed', { exact: true }).waitFor();
      expect(await panel.getByText('error', { exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'Show table' }).click();
      expect(await page.getByLabel('Status').locator('option:checked').innerText()).toMatch(/^failed \(\d/);
      await go(`#/generations?status=ok&open=${ids.ok}`);
      // The list says only what is not fine.
      const row = page.getByRole('row').filter({ has: page.getByTitle('acme/both') });
      await row.first().waitFor();
      expect(await row.first().getByText('ok', { exact: true }).count()).toBe(0);
      const other = page.getByRole('region', { name: `Generation ${ids.ok}` });
      await other.getByText('via Here').waitFor();
      // Only what is not ok is told.
      expect(await other.getByText(/^(ok|failed)$/).count()).toBe(0);
      expect(problems).toEqual([]);
    });
  },
);
