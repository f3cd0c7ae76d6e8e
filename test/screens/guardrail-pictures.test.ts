import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { API_KEY, launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';

/** Colours change at once, so that none is judged half way. */
const CALM = { reducedMotion: 'reduce' } as const;

let ui: Ui;
let key: { readonly key: string; readonly data: { readonly hash: string } };
let guardrail = '';

const write = async <Body>(path: string, body: unknown): Promise<Body> => {
  const response = await ui.call(path, { body });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return (await response.json()) as Body;
};
const read = async <Body>(path: string): Promise<Body> => (await (await ui.call(path)).json()) as Body;
/** Throws where the status is not this one. */
const say = async (content: string, status: number, by = API_KEY): Promise<void> => {
  const body = { model: 'demo/chat', messages: [{ role: 'user', content }] };
  const response = await ui.call('/api/v1/chat/completions', { key: by, body });
  if (response.status !== status) throw new Error(`The status was ${response.status}: ${await response.text()}`);
};
const message = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });
const namesOf = async (): Promise<string[]> =>
  (await read<{ data: { name: string }[] }>('/api/v1/guardrails')).data.map(({ name }) => name);

describe.skipIf(skipped !== undefined)(
  `guardrails and undo in the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi();
      key = await write('/api/v1/keys', { name: 'Support desk' });
      await write('/admin/v1/members', { user_id: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' });
      const { data } = await write<{ data: { id: string } }>('/api/v1/guardrails', {
        name: 'Personal data',
        content_filter_builtins: [
          { slug: 'credit-card', action: 'block' },
          { slug: 'email', action: 'redact' },
        ],
      });
      guardrail = data.id;
      await write(`/api/v1/guardrails/${guardrail}/assignments/keys`, { key_hashes: [key.data.hash] });
      for (let call = 0; call < 4; call += 1) await say('mail jane@example.com', 200, key.key);
      for (let call = 0; call < 3; call += 1) await say('4111 1111 1111 1111', 403, key.key);
      await say('pay with 5555 5555 5555 4444', 200);
    }, 120_000);
    afterAll(() => ui?.close());

    test('is made, assigned and tried on earlier calls in three clicks and a few words', async () => {
      const { page, problems } = await ui.open('#/guardrails');
      let clicks = 0;
      const click = async (name: string): Promise<void> => {
        clicks += 1;
        await page.getByRole('button', { name, exact: true }).click();
      };
      await click('New guardrail');
      await page.keyboard.type('No Cards');
      await page.keyboard.press('Tab');
      // Escape closes the list, and the dialog stays.
      await page.keyboard.press('ArrowDown');
      await page.getByRole('option', { name: /Support desk/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      await page.keyboard.type('supp');
      await page.keyboard.press('Enter');
      await click('Create guardrail');
      await page.getByRole('heading', { name: 'No Cards' }).waitFor();
      await click('Dry run');
      await page.getByText(/would be blocked/).waitFor();
      expect(clicks).toBe(3);
      const made = (await read<{ data: { id: string; name: string }[] }>('/api/v1/guardrails')).data.at(-1);
      const { data } = await read<{ data: { key_hash: string }[] }>(`/api/v1/guardrails/${made?.id}/assignments/keys`);
      expect(data.map(({ key_hash: hash }) => hash)).toEqual([key.data.hash]);
      // Back to the one of the other tests.
      await write(`/api/v1/guardrails/${guardrail}/assignments/keys`, { key_hashes: [key.data.hash] });
      expect(problems).toEqual([]);
    });

    test('chooses models and providers by keyboard, and marks what the gateway does not know', async () => {
      const { page, problems, check, screenshot } = await ui.open(`#/guardrails?open=${guardrail}`, CALM);
      const models = page.getByRole('combobox', { name: 'Allowed models' });
      await models.focus();
      await page.keyboard.press('ArrowDown');
      const list = page.getByRole('listbox', { name: 'All models' });
      await list.waitFor();
      expect(await models.getAttribute('aria-expanded')).toBe('true');
      await screenshot('guardrail-picker-1360');
      expect(await check()).toEqual([]);
      await page.keyboard.type('chat');
      const active = page.locator(`#${CSS_ESCAPE((await models.getAttribute('aria-activedescendant')) ?? '')}`);
      expect(await active.innerText()).toContain('demo/chat');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Remove demo/chat' }).waitFor();
      await page.keyboard.type('nobody/knows');
      await page.keyboard.press('Enter');
      await page.getByText('(not a model of this gateway)').waitFor({ state: 'attached' });
      await page.getByText('nobody/knows added, 2 selected').waitFor({ state: 'attached' });
      await page.keyboard.press('Backspace');
      await page.getByRole('button', { name: 'Remove nobody/knows' }).waitFor({ state: 'detached' });
      // What was typed counts without Enter, too: it must not be lost with the next press of Save.
      await page.keyboard.type('nobody/else');
      await models.blur();
      const unlisted = page.getByRole('button', { name: 'Remove nobody/else' });
      await unlisted.click();
      await unlisted.waitFor({ state: 'detached' });
      await models.focus();
      // Escape closes the list, and the panel stays.
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await list.waitFor({ state: 'hidden' });
      expect(await page.getByRole('heading', { name: 'Personal data' }).count()).toBe(1);
      await page.getByRole('combobox', { name: 'Blocked providers' }).focus();
      await page.keyboard.type('demo');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Remove demo/chat' }).waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    });

    test('takes a change back, all of it', async () => {
      const { page, problems } = await ui.open(`#/guardrails?open=${guardrail}`);
      await page.getByLabel('USD').fill('3');
      await page.getByLabel('Zero data retention only').check();
      await page.getByRole('button', { name: 'Save' }).click();
      const saved = message(page, 'Saved');
      const stored = async () =>
        (await read<{ data: Record<string, unknown> }>(`/api/v1/guardrails/${guardrail}`)).data;
      await saved.waitFor();
      expect(await stored()).toMatchObject({ limit_usd: 3, enforce_zdr: true, enforce_zdr_openai: true });
      await saved.getByRole('button', { name: 'Undo' }).click();
      await message(page, ' restored').waitFor();
      expect(await stored()).toMatchObject({ limit_usd: null, enforce_zdr: null, enforce_zdr_openai: null });
      expect(await page.getByLabel('USD').inputValue()).toBe('');
      expect(problems).toEqual([]);
    });

    test('holds for keys and members that are chosen, and gives back what was taken from another', async () => {
      const { data: other } = await write<{ data: { id: string } }>('/api/v1/guardrails', { name: 'Other' });
      const { page, problems, check, screenshot } = await ui.open(`#/guardrails?open=${other.id}`, CALM);
      await page.getByRole('tab', { name: 'Assigned to' }).click();
      await page.getByRole('combobox', { name: 'Members' }).click();
      await page.keyboard.type('ada');
      await page.keyboard.press('Enter');
      await message(page, 'Other assigned to Ada Lovelace').waitFor();
      await page.getByRole('combobox', { name: 'Keys' }).click();
      await page.getByRole('option', { name: /Support desk.*now: Personal data/ }).waitFor();
      await page.getByRole('option', { name: /Support desk/ }).click();
      await page.getByRole('button', { name: 'Replace guardrail' }).click();
      const taken = message(page, 'Other assigned to Support desk');
      await taken.waitFor();
      await screenshot('guardrail-holds-for');
      expect(await check()).toEqual([]);
      await taken.getByRole('button', { name: 'Undo' }).click();
      await message(page, 'Assignments restored').waitFor();
      const { data } = await read<{ data: { guardrail_id: string }[] }>('/api/v1/guardrails/assignments/keys');
      expect(data.map(({ guardrail_id: of }) => of)).toEqual([guardrail]);
      await page.getByRole('button', { name: 'Remove Ada Lovelace' }).click();
      await message(page, 'Other removed from Ada Lovelace').waitFor();
      expect((await read<{ data: unknown[] }>('/api/v1/guardrails/assignments/members')).data).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('shows how often it acted, in the list and over time, and leads to the calls', async () => {
      const { page, problems, check, screenshot } = await ui.open('#/guardrails', CALM);
      const row = page.getByRole('row', { name: /Personal data/ });
      await row.getByText('3 blocked, 4 redacted').waitFor({ state: 'attached' });
      await screenshot('guardrails-list-1360');
      await row.click();
      await page.getByRole('tab', { name: 'Hits' }).click();
      await page.getByText('the prompt or ended the response').waitFor();
      const refused = page.getByRole('region', { name: 'Latest refused requests' });
      expect(await refused.getByRole('listitem').count()).toBe(3);
      expect(await refused.getByRole('listitem').first().innerText()).toMatch(/Support desk\s+demo\/chat\s+Blocked/);
      expect(await page.content()).not.toContain('4111');
      await page.locator('.uplot canvas').waitFor();
      await screenshot('guardrail-hits-1360');
      expect(await check()).toEqual([]);
      const chart = page.getByRole('application', { name: /^Hits: 3 blocked, 4 redacted/ });
      await chart.focus();
      await page.keyboard.press('ArrowLeft');
      await page.getByText(/7 total, Redacted 4, Blocked 3/).waitFor({ state: 'attached' });
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Generations' }).waitFor();
      expect(page.url()).toContain(`guardrail%3A${guardrail}`);
      await expect.poll(() => page.getByRole('grid').getByRole('row').count()).toBe(5);
      await page.goBack();
      await page.getByRole('tab', { name: 'Hits' }).click();
      await page.getByRole('button', { name: /^Table/ }).click();
      await page.getByRole('columnheader', { name: 'Redacted' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('tries what is not saved on the calls of a span, and tells what it found', async () => {
      const { page, problems, check, screenshot } = await ui.open(`#/guardrails?open=${guardrail}`, CALM);
      await page.getByRole('combobox', { name: 'Allowed models' }).click();
      await page.keyboard.type('nothing-of-the-kind');
      await page.keyboard.press('Escape');
      await page.getByLabel('USD').fill('0');
      await page.getByRole('tab', { name: 'Test', exact: true }).click();
      await page.getByRole('radio', { name: 'Past requests' }).click();
      await page.getByText('Unsaved changes are included').waitFor();
      await page.getByLabel('Only requests matching').fill('nonsense:1');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page
        .getByText(/unknown field “nonsense”/)
        .first()
        .waitFor();
      expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
      await page.getByLabel('Only requests matching').fill('');
      await page.getByRole('button', { name: 'Run again' }).click();
      const result = page.getByRole('region', { name: 'Result' });
      await result.getByRole('status').waitFor();
      expect(await result.getByRole('status').innerText()).toBe(
        'Of 5 requests: 1 would be blocked, 4 would be over the budget.',
      );
      expect(await page.getByRole('progressbar', { name: 'Dry run' }).getAttribute('aria-valuetext')).toBe(
        '5 of 5 requests',
      );
      await result.getByText(/would have been saved/).waitFor();
      await result.getByRole('rowheader', { name: 'limit_usd' }).waitFor();
      await screenshot('guardrail-dry-run-1360');
      expect(await check()).toEqual([]);
      await page.getByLabel('Only requests of the assigned key').check();
      await page.getByRole('button', { name: 'Run again' }).click();
      await result.getByText('Of 4 requests: 0 would be blocked, 4 would be over the budget.').waitFor();
      await result.getByRole('link').first().click();
      await page.getByRole('tab', { name: 'Timeline' }).waitFor();
      expect(
        (await read<{ data: { limit_usd: unknown } }>(`/api/v1/guardrails/${guardrail}`)).data.limit_usd,
      ).toBeNull();
      expect(problems).toEqual([]);
    });

    test('shows how far a dry run has come, and ends it when told to, or when its guardrail is left', async () => {
      const { page } = await ui.open(`#/guardrails?open=${guardrail}`);
      const line = { done: false, looked_at: 200, total: 1000, back_to: '2026-03-01T00:00:00Z', touched: 2 };
      const counts = { blocked: 2, redacted: 0, flagged: 0, rerouted: 0, unserved: 0, over_budget: 0 };
      const rest = { without_content: 40, saved_usd: 0.5, saved_unknown: 0, rules: [], examples: [] };
      // A response that does not end until its reader leaves.
      await page.evaluate(`
        window.left = 0;
        const original = fetch;
        window.fetch = (address, init) => {
          if (!String(address).endsWith('/dry-runs')) return original(address, init);
          const body = new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode(${JSON.stringify(`${JSON.stringify({ ...line, ...counts, ...rest })}\n`)}));
              init.signal.addEventListener('abort', () => { window.left += 1; controller.error(init.signal.reason); });
            },
          });
          return Promise.resolve(new Response(body));
        };`);
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText('200 of 1,000 requests checked').waitFor();
      await page.getByText('40 could not be checked').waitFor();
      const bar = page.getByRole('progressbar', { name: 'Dry run' });
      expect(await bar.getAttribute('aria-valuenow')).toBe('200');
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText(/200 of 1,000 requests checked.*; stopped/).waitFor();
      expect(await page.evaluate('window.left')).toBe(1);
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await page.getByRole('tab', { name: 'Content' }).click();
      await page.getByRole('tab', { name: 'Test' }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      expect(await page.evaluate('window.left')).toBe(1);
      await page.getByRole('link', { name: 'Keys' }).click();
      await expect.poll(() => page.evaluate('window.left')).toBe(2);
    });

    test('stays in force while its deletion can be undone, and goes with the message', async () => {
      const names = ['To stay', 'To go'];
      for (const name of names) await write('/api/v1/guardrails', { name });
      const { page, problems, screenshot } = await ui.open('#/guardrails');
      const remove = async (name: string): Promise<void> => {
        await page.getByRole('row', { name: new RegExp(`^${name}`) }).click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByRole('button', { name: 'Delete guardrail' }).click();
        await message(page, `“${name}” will be deleted`).waitFor();
      };
      for (const name of names) await remove(name);
      await page.getByRole('row', { name: /^To stay being deleted; still active/ }).waitFor();
      await screenshot('guardrail-deleted-1360');
      expect(await namesOf()).toEqual(expect.arrayContaining(names));
      await message(page, '“To stay” will be deleted').getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('row', { name: /^To stay none/ }).waitFor();
      await message(page, '“To go” will be deleted').getByRole('button', { name: 'Dismiss' }).click();
      await page.getByRole('row', { name: /^To go/ }).waitFor({ state: 'detached' });
      expect(await namesOf()).toContain('To stay');
      expect(await namesOf()).not.toContain('To go');
      // A page that is closed deletes nothing.
      await remove('To stay');
      await page.reload();
      await page.getByRole('row', { name: /^To stay none/ }).waitFor();
      expect(await namesOf()).toContain('To stay');
      expect(problems).toEqual([]);
    });

    test('pauses a destination that is being deleted, and goes on with it when that is undone', async () => {
      const config = { url: 'https://hooks.example.com/', headers: { 'X-Token': 'a-secret-of-some-length' } };
      const body = { type: 'webhook', name: 'Traces', config };
      const { data } = await write<{ data: { id: string } }>('/api/v1/observability/destinations', body);
      const path = `/api/v1/observability/destinations/${data.id}`;
      const stored = async () => (await read<{ data: Record<string, unknown> }>(path)).data;
      const { page, problems } = await ui.open(`#/destinations?open=${data.id}`);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Delete destination' }).click();
      const going = message(page, '“Traces” will be deleted');
      await going.waitFor();
      expect(await stored()).toMatchObject({ enabled: false });
      await going.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('row', { name: /^Traces Webhook/ }).waitFor();
      expect(await stored()).toMatchObject({ enabled: true });
      await page.getByRole('button', { name: 'Actions for Traces' }).click();
      await page.getByRole('menuitem', { name: 'Pause' }).click();
      await message(page, 'Traces paused').getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('row', { name: /^Traces Webhook/ }).waitFor();
      await page.getByRole('row', { name: /Traces/ }).click();
      await page.getByLabel('Name', { exact: true }).fill('Traces of all');
      await page.getByRole('button', { name: 'Save' }).click();
      await message(page, 'Saved').getByRole('button', { name: 'Undo' }).click();
      await message(page, ' restored').waitFor();
      expect(await stored()).toMatchObject({ name: 'Traces' });
      // A secret that was replaced cannot be had again.
      await page.getByLabel('Headers').fill('X-Token: another-secret-of-some-length');
      await page.getByRole('button', { name: 'Save' }).click();
      const saved = message(page, 'Saved. Pending deliveries are retried now.');
      await saved.waitFor();
      expect(await saved.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('takes back what was changed in the settings', async () => {
      const { page, problems } = await ui.open('#/settings?section=account');
      await page.getByLabel('Credits in USD').fill('25');
      await page.getByRole('button', { name: 'Save' }).first().click();
      const stored = async () =>
        (await read<{ data: { credits_usd: unknown } }>('/admin/v1/settings')).data.credits_usd;
      await message(page, 'Saved').waitFor();
      expect(await stored()).toBe(25);
      await message(page, 'Saved').getByRole('button', { name: 'Undo' }).click();
      await message(page, 'Settings restored').waitFor();
      expect(await stored()).toBeNull();
      expect(await page.getByLabel('Credits in USD').inputValue()).toBe('');
      await page.getByRole('link', { name: 'Workspaces' }).click();
      await page
        .getByRole('row', { name: /^Default/ })
        .getByRole('link')
        .click();
      const address = page.getByLabel('Default callback address');
      await address.fill('https://hooks.example.com/films');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await message(page, 'Workspace saved').getByRole('button', { name: 'Undo' }).click();
      await message(page, 'Workspace restored').waitFor();
      expect(await address.inputValue()).toBe('');
      expect(problems).toEqual([]);
    });

    test.each(firstOrAll<readonly [number, number]>([480, 900], [900, 850], [1440, 900]))(
      'fits into a window of %i pixels, in either theme',
      async (width, height) => {
        for (const colorScheme of ['dark', 'light'] as const) {
          const opened = await ui.open('#/guardrails', { viewport: { width, height }, colorScheme, ...CALM });
          const { page, screenshot, check, go } = opened;
          await page.getByRole('row', { name: /Personal data/ }).waitFor();
          await screenshot(`guardrails-list-${width}-${colorScheme}`);
          await go(`#/guardrails?open=${guardrail}`);
          await page.getByRole('combobox', { name: 'Allowed models' }).click();
          await page.getByRole('listbox').getByRole('option').first().waitFor();
          await screenshot(`guardrail-picker-${width}-${colorScheme}`);
          expect(await check()).toEqual([]);
          await page.keyboard.press('Escape');
          await page.getByRole('tab', { name: 'Hits' }).click();
          await page.locator('.uplot canvas').waitFor();
          await screenshot(`guardrail-hits-${width}-${colorScheme}`);
          await page.getByRole('button', { name: 'Dry run' }).click();
          await page.getByRole('region', { name: 'Result' }).getByRole('status').waitFor();
          await screenshot(`guardrail-dry-run-${width}-${colorScheme}`);
          expect(await check()).toEqual([]);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect(overflow).toBeLessThanOrEqual(0);
          await page.context().close();
        }
      },
    );
  },
);

/** Ids of React have colons. */
const CSS_ESCAPE = (id: string): string => id.replaceAll(/[^\w-]/g, (sign) => `\\${sign}`);
