import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { examine, setTheme } from './examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from './launch-ui.ts';

let ui: Ui;
/** One for all of them. */
let screens: UiPage | undefined;
/** Ids of what the tests look at. */
const ids = { ok: '', failed: '', hostile: '', guardrail: '' };

const HOSTILE = [
  '<img src=x onerror=alert(1)><script>alert(2)</script>',
  '![track](https://evil.example/track.png) [go](javascript:alert(3)) [out](https://evil.example/)',
  'invoice\u202Efdp.exe <svg onload=alert(4)>',
].join('\n\n');

async function chat(content: string): Promise<string> {
  const body = { model: 'demo/chat', stream: true, messages: [{ role: 'user', content }] };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.text();
  return response.headers.get('x-generation-id') ?? '';
}

/** Every route, and every part of it that is shown only when asked for. */
const SCREENS: readonly (readonly [string, () => string])[] = [
  ['overview', () => '#/'],
  ['models', () => '#/models'],
  ['model', () => '#/models?open=demo/chat'],
  ['models-none', () => '#/models?q=nothing-has-this-name'],
  ['generations', () => '#/generations'],
  ['generation-beside', () => `#/generations?open=${ids.ok}`],
  ['generations-none', () => '#/generations?model=none/none'],
  ['generations-compared', () => `#/generations?compare=${ids.ok},${ids.failed}`],
  ['generation', () => `#/generations/${ids.failed}`],
  ['playground', () => '#/playground?models=demo/chat,demo/reasoner'],
  ['guardrails', () => '#/guardrails'],
  ['guardrail', () => `#/guardrails?open=${ids.guardrail}`],
  ['keys', () => '#/keys'],
  ['connect', () => '#/connect'],
  ['connect-container', () => '#/connect?tool=open-webui'],
  ['settings', () => '#/settings'],
];

/** React draws in a task that it asks for by a message: the address changes right before. */
const CHANGE_BEFORE_DRAWING = `
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (...message) {
    MessagePort.prototype.postMessage = postMessage;
    addEventListener('popstate', () => setTimeout(() => postMessage.apply(this, message)), { once: true });
    location.hash = '#/settings';
  };
`;

describe.skipIf(skipped !== undefined)(
  `the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi();
      [ids.ok, ids.failed, ids.hostile] = await Promise.all([chat('Hello!'), chat('demo: cut stream'), chat(HOSTILE)]);
      await ui.call('/api/v1/keys', { body: { name: 'Tests', limit: 1 } });
      const rules = {
        name: 'Production',
        limit_usd: 5,
        content_filter_builtins: [{ slug: 'email', action: 'redact' }],
      };
      const made = await ui.call('/api/v1/guardrails', { body: rules });
      ids.guardrail = ((await made.json()) as { data: { id: string } }).data.id;
    }, 60_000);
    afterAll(() => ui?.close());

    test.each(SCREENS)(
      'shows %s without a fault, dark and light and narrow, so that all users can use it',
      async (name, hash) => {
        // Without motion, or a colour is looked at while it changes.
        screens ??= await ui.open('#/', { reducedMotion: 'reduce', isKept: true });
        await screens.go(hash());
        // The last part of it to come: what takes long is asked for when the rest is there.
        if (name === 'overview') await screens.page.locator('.uplot').nth(3).waitFor();
        expect(await examine(screens, name)).toEqual([]);
      },
    );

    test('signs in with a key, and out again', async () => {
      const { page, problems, check } = await ui.open('', { isSignedIn: false });
      expect(await check()).toEqual([]);
      await page.getByLabel('Management key').fill('sk-gw-v1-wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(problems.splice(0)).toEqual([expect.stringContaining('401')]);
      await page.getByRole('button', { name: 'Use the demo key' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Management key').waitFor();
      expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, document.cookie])')).not.toContain('sk-gw');
      expect(problems).toEqual([]);
    });

    test('asks to sign in again when the session has ended', async () => {
      const { page, problems } = await ui.open('#/keys');
      // The last request that the page makes by itself: it would find out before the click.
      await page.getByTitle('Spent since midnight (browser time)').waitFor();
      await page.context().clearCookies();
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByLabel('Management key').waitFor();
      expect(problems.every((problem) => problem.includes('401'))).toBe(true);
    });

    test('runs nothing that a caller has written, loads nothing, and shows what hides', async () => {
      const { page, problems } = await ui.open(`#/generations/${ids.hostile}`);
      await page.getByText('fdp.exe').first().waitFor();
      expect(await page.getByText('‹U+202E›').count()).toBeGreaterThan(0);
      for (const tab of ['Request and response', 'Usage and cost', 'Raw', 'Timeline']) {
        await page.getByRole('tab', { name: tab }).click();
      }
      await page.getByRole('button', { name: 'Show raw' }).click();
      await page.getByRole('button', { name: 'Show formatted' }).click();
      expect(await page.locator('article img, article a, article script').count()).toBe(0);
      await page.getByRole('button', { name: 'out', exact: true }).click();
      await page.getByRole('dialog').getByText('https://evil.example/').first().waitFor();
      expect(problems).toEqual([]);
    });

    test('streams a response in the playground, and lists it at once', async () => {
      const list = await ui.open('#/generations');
      const before = await list.page.getByRole('row').count();
      const { page, problems } = await ui.open('#/playground?models=demo/chat');
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello!');
      const png = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
        'base64',
      );
      await page.getByLabel('Files to attach').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png });
      await page.getByText('dot.png').waitFor();
      await page.getByRole('button', { name: 'Remove dot.png' }).click();
      await page.keyboard.press('Control+Enter');
      await page.getByRole('status').getByText('ok', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Generation' }).last().click();
      await page.getByText('Your request went through the gateway').waitFor();
      await expect.poll(() => list.page.getByRole('row').count()).toBeGreaterThan(before);
      expect([...problems, ...list.problems]).toEqual([]);
    });

    test('is walked by keys alone', async () => {
      const { page, problems } = await ui.open('#/');
      const keys = async (...pressed: string[]): Promise<void> => {
        for (const key of pressed) await page.keyboard.press(key);
      };
      await keys('g', 'e');
      await page.getByRole('heading', { name: 'Generations' }).waitFor();
      await page.getByRole('grid').focus();
      await keys('j', ' ');
      await page.getByRole('region', { name: /^Generation gen-/ }).waitFor();
      const first = new URL(page.url()).hash;
      await keys('j');
      await expect.poll(() => new URL(page.url()).hash).not.toBe(first);
      await keys(']');
      expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Request and response');
      await keys('Escape');
      await page.getByRole('region', { name: /^Generation gen-/ }).waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
      await keys('Enter');
      await page.waitForURL(/#\/generations\/gen-/);
      await keys('Escape', 'g', 'm');
      await page.getByRole('heading', { name: 'Models' }).waitFor();
      await keys('/');
      await page.keyboard.type('reasoner');
      await page.getByRole('status').getByText('1 model match').waitFor();
      // Fewer letters may find that one model already.
      await expect.poll(() => new URL(page.url()).hash).toContain('q=reasoner');
      await keys('Escape', 'Escape', '?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await keys('Escape', 'Control+k');
      await page.getByPlaceholder(/Search pages, actions/).waitFor();
      await page.keyboard.type('settings');
      await keys('Enter');
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('makes a key that is shown once, and deletes it', async () => {
      const { page, problems, check } = await ui.open('#/keys');
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('Short-lived');
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Create key' }).click();
      const key = (await page.getByTestId('new-key').textContent()) ?? '';
      const called = await ui.call('/api/v1/models/count', { key });
      expect([key.slice(0, 9), called.status]).toEqual(['sk-gw-v1-', 200]);
      await page.getByRole('button', { name: 'Done' }).click();
      expect(await page.content()).not.toContain(key);
      await page.getByRole('button', { name: 'Actions for Short-lived' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByRole('button', { name: 'Delete key' }).click();
      await page
        .getByRole('gridcell', { name: /Short-lived/ })
        .first()
        .waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    });

    test('tells what a guardrail would do, and where a value is wrong', async () => {
      const { page, problems } = await ui.open(`#/guardrails?open=${ids.guardrail}`);
      await page.getByRole('tab', { name: 'Test' }).click();
      await page.getByLabel('Prompt', { exact: true }).fill('Write to jane@example.com');
      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByText('Write to [EMAIL]').waitFor();
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText(/would be blocked/).waitFor();
      await page.getByRole('tab', { name: 'Content' }).click();
      await page.getByRole('button', { name: 'Pattern', exact: true }).click();
      await page.getByLabel('Pattern 1', { exact: true }).fill('(?=look-around)');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('content_filters').first().waitFor();
      expect(problems).toEqual([expect.stringContaining('400')]);
    });

    test('draws its charts again when the system turns dark, and for no other reason', async () => {
      const opened = await ui.open('#/');
      const { page } = opened;
      await setTheme(opened, 'light');
      const chart = page.locator('.uplot').first();
      await chart.waitFor();
      // Queries that are repeated in the background must not be the cause of the drawing.
      await page.waitForLoadState('networkidle');
      await page.context().setOffline(true);
      await page.evaluate('document.querySelector(".uplot").dataset.drawn = "in light"');
      await setTheme(opened, 'light');
      expect(await chart.getAttribute('data-drawn')).toBe('in light');
      await setTheme(opened, 'dark');
      await expect.poll(() => chart.getAttribute('data-drawn')).toBeNull();
      await page.context().setOffline(false);
    });

    test('changes all its colours at once where less motion is wanted', async () => {
      const opened = await ui.open(`#/generations/${ids.ok}`, { reducedMotion: 'reduce' });
      const { page } = opened;
      await setTheme(opened, 'light');
      await page.evaluate(
        `window.begun = []; addEventListener('transitionrun', (event) => begun.push(event.propertyName))`,
      );
      const before = await page.evaluate('getComputedStyle(document.body).color');
      await setTheme(opened, 'dark');
      expect(await page.evaluate('getComputedStyle(document.body).color')).not.toBe(before);
      expect(await page.evaluate('begun')).toEqual([]);
    });

    test('goes where the address leads to, even if it changes between loading and drawing', async () => {
      const { page } = await ui.open('#/', { initScript: CHANGE_BEFORE_DRAWING });
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    });

    test.each([
      ['#/', 'Overview', 4],
      ['#/generations', 'Generations', 5],
    ] as const)(
      'opens %s with few files of script, and without what only open calls need',
      async (hash, title, most) => {
        const { page } = await ui.open(hash);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        const loaded = await page.evaluate<string[]>(
          `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
        );
        expect(loaded.length).toBeLessThanOrEqual(most);
        expect(loaded.filter((name) => name.includes('markdown'))).toEqual([]);
      },
    );
  },
);
