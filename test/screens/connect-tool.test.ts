import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { examine, setTheme } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

interface OpenCodeSettings {
  readonly provider: {
    readonly 'model-gateway': { readonly options: { readonly baseURL: string; readonly apiKey: string } };
  };
  readonly model: string;
}

/** Calls as the tool would that has been given these settings. */
async function callAsTool(settings: OpenCodeSettings, change: { path?: string; key?: string; model?: string } = {}) {
  const { baseURL, apiKey } = settings.provider['model-gateway'].options;
  const { path = '/chat/completions', key = apiKey, model = settings.model.replace('model-gateway/', '') } = change;
  const response = await fetch(baseURL + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'user-agent': 'opencode/9' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
  });
  await response.text();
  return response.status;
}

const readSettings = async (page: Page): Promise<OpenCodeSettings> =>
  JSON.parse(await page.getByLabel('Add the gateway as a provider', { exact: true }).innerText()) as OpenCodeSettings;

const firstCallOf = (page: Page) => page.getByRole('status', { name: 'First request' });

/** Pictures for people to look at; only with `TEST_FULL=1`. */
async function picture(opened: UiPage, name: string): Promise<void> {
  if (process.env['TEST_FULL'] !== '1') return;
  for (const theme of ['dark', 'light'] as const) {
    await setTheme(opened, theme);
    for (const width of [480, 900, 1440]) {
      await opened.page.setViewportSize({ width, height: 900 });
      await opened.screenshot(`${name}-${theme}-${width}`);
    }
  }
  await opened.page.setViewportSize({ width: 1360, height: 850 });
}

describe.skipIf(skipped !== undefined)(
  `connecting a tool${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    const keysNamed = async (name: string) => {
      const { data } = (await (await ui.call('/api/v1/keys?include_disabled=true')).json()) as {
        data: { name: string; hash: string; limit: number | null; limit_reset: string | null; disabled: boolean }[];
      };
      return data.filter((key) => key.name === name);
    };

    test('takes three clicks from the keys to a limited key in finished settings, and shows the first call', async () => {
      const opened = await ui.open('#/keys');
      const { page, problems } = opened;
      await page.getByRole('button', { name: 'Connect a tool' }).first().click();
      await page.getByRole('searchbox', { name: 'Search tools' }).waitFor();
      await picture(opened, 'connect-tiles');
      expect(await examine(opened, 'connect-tiles')).toEqual([]);
      await page.getByRole('button', { name: /^opencode/ }).click();
      await page.getByRole('button', { name: /^Create key/ }).waitFor();
      await picture(opened, 'connect-form');
      expect(await examine(opened, 'connect-form')).toEqual([]);
      await page.getByRole('button', { name: 'Create key with a limit of $10 a month' }).click();

      await firstCallOf(page).getByText('Waiting for the first request from opencode').waitFor();
      expect(await keysNamed('opencode')).toMatchObject([{ limit: 10, limit_reset: 'monthly' }]);
      const settings = await readSettings(page);
      expect(settings.provider['model-gateway'].options.baseURL).toBe(`${ui.url}/api/v1`);
      await picture(opened, 'connect-waiting');
      expect(await examine(opened, 'connect-waiting')).toEqual([]);
      await page.getByRole('radio', { name: 'Windows' }).click();
      await page.getByText(String.raw`%USERPROFILE%\.config\opencode\opencode.json`).waitFor();

      expect(await callAsTool(settings)).toBe(200);
      await firstCallOf(page).getByText('opencode is connected').waitFor();
      await picture(opened, 'connect-seen');
      expect(await examine(opened, 'connect-seen')).toEqual([]);
      await firstCallOf(page).getByRole('link', { name: 'View request' }).click();
      await page.getByRole('tab', { name: 'Timeline' }).waitFor();
      // Nothing is offered to be undone once the tool has called.
      await expect.poll(() => page.getByText('was kept').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('says in words why a call was refused, and goes on waiting', async () => {
      const opened = await ui.open('#/connect?tool=opencode');
      const { page, problems } = opened;
      await page.getByRole('button', { name: /^Create key/ }).click();
      const settings = await readSettings(page);
      const card = firstCallOf(page);

      expect(await callAsTool(settings, { key: 'sk-wrong' })).toBe(401);
      await card.getByText('refused because of its key').waitFor();
      expect(await card.innerText()).toContain('from opencode/9');
      expect(await callAsTool(settings, { path: '/v1/chat/completions' })).toBe(404);
      await card.getByText('POST /api/v1/v1/chat/completions, which does not exist').waitFor();
      expect(await callAsTool(settings, { path: '/audio/translations' })).toBe(404);
      await card.getByText('the API for translations').waitFor();
      expect(await callAsTool(settings, { model: 'demo/chta' })).toBe(400);
      await card.getByText('Use the gateway’s model ID: demo/').waitFor();
      await picture(opened, 'connect-refused');
      expect(await examine(opened, 'connect-refused')).toEqual([]);
      expect(await callAsTool(settings)).toBe(200);
      await card.getByText('opencode is connected').waitFor();
      expect(problems).toEqual([]);
    });

    test('keeps the key of a tool that has not called, and takes it back on request', async () => {
      const { page, problems } = await ui.open('#/connect?tool=aider');
      await page.getByRole('button', { name: /^Create key/ }).click();
      await firstCallOf(page).waitFor();
      await page.getByRole('button', { name: 'Other tools' }).click();
      await page.getByText('The key “aider” was kept').first().waitFor();
      expect(await keysNamed('aider')).toHaveLength(1);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The key “aider” was deleted').first().waitFor();
      expect(await keysNamed('aider')).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('says that tools which call from elsewhere cannot reach this machine, until there is an address', async () => {
      const opened = await ui.open('#/connect?tool=cursor');
      const { page, problems } = opened;
      const obstacle = page.getByText('It calls from its maker’s servers');
      await obstacle.waitFor();
      await page.getByText('Enter the public address above').waitFor();
      expect(await page.getByRole('button', { name: /^Create key/ }).count()).toBe(0);
      expect(await examine(opened, 'connect-cursor')).toEqual([]);
      const address = page.getByLabel('Gateway address for the tool');
      await address.fill('https://gateway.example.com/api/v1');
      await obstacle.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^Create key/ }).click();
      await page.getByRole('definition').getByText('https://gateway.example.com/api/v1').waitFor();
      await picture(opened, 'connect-cursor');
      expect(problems).toEqual([]);
    });

    test('is found by name among the commands, and by keys alone', async () => {
      const { page, problems } = await ui.open('#/');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('connect');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Connect a tool' }).waitFor();
      await page.getByRole('searchbox', { name: 'Search tools' }).focus();
      await page.keyboard.type('zed');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Connect Zed' }).waitFor();
      expect(await page.title()).toBe('Connect a tool · Model Gateway');
      await page.goBack();
      await page.getByRole('searchbox', { name: 'Search tools' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('what is changed of a key is undone: its name and limit, its being disabled, and its deletion', async () => {
      const { page, problems } = await ui.open('#/keys');
      await ui.call('/api/v1/keys', { body: { name: 'Changing', limit: 5 } });
      await page.evaluate("dispatchEvent(new Event('focus'))");
      const act = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: 'Actions for Changing' }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      const undo = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Undo' }).last().click();
        await page.getByText('“Changing” restored').first().waitFor();
        await page.getByRole('button', { name: 'Dismiss' }).first().click();
      };
      await act('Edit…');
      await page.getByLabel('Name', { exact: true }).fill('Renamed');
      await page.getByLabel('Limit in USD').fill('7');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('“Renamed” saved').first().waitFor();
      expect(await keysNamed('Renamed')).toMatchObject([{ limit: 7 }]);
      await undo();
      expect(await keysNamed('Changing')).toMatchObject([{ limit: 5 }]);

      await act('Disable');
      await page.getByText('“Changing” disabled; its requests are refused').first().waitFor();
      await undo();
      expect(await keysNamed('Changing')).toMatchObject([{ disabled: false }]);

      await act('Delete…');
      await page.getByRole('button', { name: 'Delete key' }).click();
      await page.getByText('Deleting key “Changing”').first().waitFor();
      expect(await keysNamed('Changing')).toMatchObject([{ disabled: true }]);
      await undo();
      expect(await keysNamed('Changing')).toMatchObject([{ disabled: false, limit: 5 }]);

      await act('Delete…');
      await page.getByRole('button', { name: 'Delete key' }).click();
      await page.getByText('Deleting key “Changing”').first().waitFor();
      await page.getByRole('button', { name: 'Actions for Changing' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Dismiss' }).last().click();
      await expect.poll(() => keysNamed('Changing')).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('a page that goes takes the keys with it that it was about to delete', async () => {
      await ui.call('/api/v1/keys', { body: { name: 'Going' } });
      const { page } = await ui.open('#/keys');
      await page.getByRole('button', { name: 'Actions for Going' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByRole('button', { name: 'Delete key' }).click();
      await page.getByText('Deleting key “Going”').first().waitFor();
      await page.goto('about:blank');
      await expect.poll(() => keysNamed('Going')).toEqual([]);
    });

    test('the first steps end with a tool that is connected', async () => {
      let isRefusing = true;
      const { baseUrl } = await startRawUpstream(({ head, socket }) => {
        if (isRefusing && head.startsWith('POST'))
          return void socket.end(toRawResponse(401, { error: { message: 'Incorrect API key' } }));
        const message = { role: 'assistant', content: 'Hello' };
        const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
        const body = head.startsWith('GET')
          ? { data: [{ id: 'small-1' }] }
          : { id: 'c', model: 'small-1', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
        socket.end(toRawResponse(200, body));
      });
      const own = await launchUi({ isEmpty: true });
      onTestFinished(() => own.close(), 60_000);
      const opened = await own.open('#/');
      const { page, problems } = opened;
      await page.getByRole('button', { name: 'Try the demo instead' }).click();
      await page.getByText('model-gateway serve --demo --port 8856').waitFor();
      expect(await examine(opened, 'connect-first-run-demo')).toEqual([]);
      await own.call('/admin/v1/setup/providers', {
        body: { slug: 'up', wire: 'openai', baseUrl, discoverModels: true },
      });
      await page.reload();
      // The provider is there already, so that it begins with the second step.
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('heading', { name: 'Which tool do you want to connect?' }).waitFor();
      expect(await examine(opened, 'connect-first-run-tools')).toEqual([]);
      await page.getByRole('button', { name: /^opencode/ }).click();
      // The price of the model is not known, so a limit would refuse it.
      await page.getByText('No limit, because this model has no known price').waitFor();
      await page.getByRole('button', { name: 'Create key', exact: true }).click();
      const steps = page.getByRole('listitem').filter({ hasText: 'Connect a tool' });
      await expect.poll(() => steps.first().getAttribute('aria-current')).toBe('step');
      await expect.poll(() => steps.first().innerText()).not.toContain('done');
      await callAsTool(await readSettings(page));
      await firstCallOf(page).getByText('A request arrived and failed').waitFor();
      await firstCallOf(page).getByText('The tool is set up correctly').waitFor();
      expect(await examine(opened, 'connect-failed')).toEqual([]);
      expect(await steps.first().innerText()).not.toContain('done');
      isRefusing = false;
      await callAsTool(await readSettings(page));
      await firstCallOf(page).getByText('opencode is connected').waitFor();
      await expect.poll(() => steps.first().innerText()).toContain('done');
      await picture(opened, 'connect-first-run');
      expect(await examine(opened, 'connect-first-run')).toEqual([]);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(problems).toEqual([]);
    });
  },
);
