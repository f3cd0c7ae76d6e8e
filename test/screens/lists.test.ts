import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { setTheme } from '../e2e/examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';
import { createDeferred } from '../support/async/deferred.ts';

let ui: Ui;
/** Ids of what the tests look at. */
const ids = { first: '', second: '', third: '', failed: '' };

async function chat(content: string, more: object = {}): Promise<string> {
  const body = { model: 'demo/chat', messages: [{ role: 'user', content }], ...more };
  const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
  await response.text();
  return response.headers.get('x-generation-id') ?? '';
}

async function expectNoFindings(opened: UiPage): Promise<void> {
  const { check } = opened;
  await setTheme(opened, 'dark');
  expect(await check()).toEqual([]);
  await setTheme(opened, 'light');
  expect(await check({ ofColours: true })).toEqual([]);
}

/**
 * Finds elements that cannot be scrolled to, are covered, or are cut off at the side, and lists that are too low to
 * read.
 */
const FIND_LOST = `(() => {
  const found = [];
  const within = document.querySelector('[role=dialog][aria-modal]') ?? document;
  for (const element of within.querySelectorAll('button, a[href], input, select, textarea, summary, [role=grid]')) {
    const isLeft = element.closest('[inert], .sr-only, [role=row]') !== null || element.disabled;
    if (isLeft || !element.checkVisibility()) continue;
    element.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, right, top, width, height } = element.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + Math.min(20, height / 2));
    const name = element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent).slice(0, 40);
    if (element.matches('[role=grid]')) {
      if (height < 100) found.push('low: ' + name);
    } else if (left < -1 || right > innerWidth + 1) found.push('cut: ' + name);
    else if (!element.contains(at) && !at?.contains(element)) found.push('covered: ' + name);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('sideways: the page');
  return found;
})()`;

const focused = (page: UiPage['page']): Promise<unknown> =>
  page.evaluate("document.activeElement?.getAttribute('role') ?? document.activeElement?.tagName");

describe.skipIf(skipped !== undefined)(
  `the lists of the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi();
      ids.first = await chat('Hello!', { session_id: 'trip' });
      ids.second = await chat('Tell me of flamingos', { session_id: 'trip' });
      ids.third = await chat('Hello!', { model: 'demo/reasoner', stream: true });
      ids.failed = await chat('demo: cut stream', { stream: true });
    }, 60_000);
    afterAll(() => ui?.close());

    test('keeps a view under a name, in its menu and among the commands, and takes it back', async () => {
      const opened = await ui.open('#/generations?status=failed&range=24h');
      const { page, problems } = opened;
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save this view…' }).click();
      await expectNoFindings(opened);
      await page.keyboard.type('Failures');
      await page.keyboard.press('Enter');
      await page.getByText('Saved the view “Failures”').first().waitFor();
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Cost' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'Cost' }).waitFor({ state: 'detached' });

      await opened.go('#/generations');
      await page.reload();
      await page.getByRole('status').getByText('4 total').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder(/Search pages, actions/).waitFor();
      await page.keyboard.type('failures');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('1 found').waitFor();
      expect(new URL(page.url()).hash).toContain('status=failed');
      await page.getByRole('columnheader', { name: 'Cost' }).waitFor();

      await page.getByRole('button', { name: 'Failures' }).click();
      await page.getByRole('menuitem', { name: 'Rename or delete views…' }).click();
      await page.getByRole('textbox', { name: 'Name of Failures' }).waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('Gone wrong');
      // The new name reaches the gateway only after the view is deleted here: the changes must arrive in their order.
      const isDeleted = createDeferred();
      await page.route('**/admin/v1/views/Gone%20wrong', async (route) => {
        if (route.request().method() === 'PUT') await isDeleted.promise;
        await route.continue();
      });
      await page.keyboard.press('Enter');
      await page.getByText('Renamed “Failures” to “Gone wrong”').waitFor();
      await page.getByRole('button', { name: 'Delete Gone wrong' }).click();
      isDeleted.resolve();
      await expectNoFindings(opened);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Delete Gone wrong' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Gone wrong' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('pins calls by key and by button, and lists what is pinned', async () => {
      const opened = await ui.open('#/generations');
      const { page, problems } = opened;
      await page.getByRole('grid').focus();
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Pinned 1' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press(' ');
      await page.getByRole('region', { name: /^Generation gen-/ }).waitFor();
      await page.getByRole('button', { name: 'Pin', exact: true }).click();
      await page.getByRole('button', { name: 'Pinned 2' }).click();
      await page.getByRole('status').getByText('2 pinned').waitFor();
      expect(await page.getByRole('row').count()).toBe(3);
      await expectNoFindings(opened);
      await opened.screenshot('generations-pinned');
      await page.getByRole('grid').focus();
      await page.keyboard.press('p');
      await page.getByRole('status').getByText('1 pinned').waitFor();
      // The keyboard alone reaches the messages and the button that undoes the change.
      await page.keyboard.press('F8');
      const isAtUndo = "document.activeElement?.textContent === 'Undo'";
      for (let step = 0; step < 6 && !(await page.evaluate(isAtUndo)); step += 1) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('2 pinned').waitFor();
      // A pin that another tab adds is not lost with the next change here.
      const other = await page.context().newPage();
      await other.goto(`${ui.url}/ui/#/generations`);
      await other.getByRole('row').nth(3).click();
      await other.getByRole('button', { name: 'Pin', exact: true }).click();
      await page.getByRole('status').getByText('3 pinned').waitFor();
      // Everything else would be exported with them.
      await page.getByRole('button', { name: 'Actions', exact: true }).click();
      await page.getByRole('menuitem').first().waitFor();
      const actions = await page.getByRole('menuitem').allInnerTexts();
      expect(actions.filter((name) => !name.startsWith('Make fixtures'))).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('counts what each filter would leave', async () => {
      const { page, problems } = await ui.open('#/generations');
      await page.getByLabel('Status').focus();
      await page.locator('option', { hasText: 'failed (1)' }).waitFor({ state: 'attached' });
      await page.getByLabel('Model').selectOption('demo/chat');
      await page.getByRole('status').getByText('3 found').waitFor();
      await page.locator('option', { hasText: 'ok (2)' }).waitFor({ state: 'attached' });
      // The counts of a filter's own kind ignore that filter.
      await page.locator('option', { hasText: 'demo/reasoner (1)' }).waitFor({ state: 'attached' });
      await page.getByLabel('Provider').locator('option', { hasText: 'Demo (3)' }).waitFor({ state: 'attached' });
      await page.getByLabel('Key').locator('option', { hasText: 'demo (3)' }).waitFor({ state: 'attached' });
      expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('4');
      expect(await page.getByRole('row').last().getAttribute('aria-rowindex')).toBe('4');
      expect(problems).toEqual([]);
    });

    test('says which filter leaves nothing over, and does without it', async () => {
      const opened = await ui.open('#/generations?model=chat&status=failed');
      const { page, problems } = opened;
      await page.getByText('Unknown model “chat”').waitFor();
      await page.getByRole('button', { name: 'Without the model: 1 request' }).waitFor();
      await expectNoFindings(opened);
      await page.getByRole('button', { name: 'demo/chat', exact: true }).click();
      await page.getByRole('status').getByText('1 found').waitFor();
      await opened.go('#/generations?status=failed&text=flamingo');
      await page.getByText('1 request matches the other filters, but none contains “flamingo”').waitFor();
      await page.getByRole('button', { name: 'Remove the text' }).click();
      await page.getByRole('status').getByText('1 found').waitFor();
      expect(problems).toEqual([]);
    });

    test('tells how far a text was looked for, and can be stopped', async () => {
      const opened = await ui.open('#/');
      const { page, problems } = opened;
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route(/\/admin\/v1\/generations\?.*text=/, async (route) => {
        await held;
        await route.continue().catch(() => undefined);
      });
      await page.goto(`${ui.url}/ui/#/generations?text=flamingo`);
      await page.getByText('Searching 0 of 4').waitFor();
      expect(await page.getByRole('progressbar', { name: 'Text search progress' }).count()).toBe(1);
      await page.getByRole('button', { name: 'Stop searching' }).click();
      await page.getByText('No results before the search was stopped').waitFor();
      await expectNoFindings(opened);
      release();
      await page.getByRole('button', { name: 'Continue search' }).click();
      await page.getByText('Searched all 4 (100 %)').waitFor();
      expect(await page.getByRole('row').count()).toBe(2);
      expect(problems).toEqual([]);
    });

    test('goes through the list by j and k from within the open call, and to the calls of its session', async () => {
      const { page, problems } = await ui.open(`#/generations?open=${ids.second}`);
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      await page.keyboard.press('k');
      await expect.poll(() => page.url()).toContain(ids.third);
      await page.keyboard.press('j');
      await expect.poll(() => page.url()).toContain(ids.second);
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      await page.getByRole('link', { name: 'All requests of this session' }).click();
      await page.getByRole('status').getByText('2 found').waitFor();
      // A pair of keys leads away even where its second key does something in the list.
      await page.getByRole('grid').focus();
      await page.keyboard.press('g');
      await page.keyboard.press('k');
      await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
      expect(problems).toEqual([]);
    });

    test('compares two calls by mouse, and narrows the time without dragging', async () => {
      const opened = await ui.open(`#/generations?open=${ids.first}`);
      const { page, problems } = opened;
      await page.getByRole('button', { name: 'Select to compare' }).click();
      await page.getByRole('button', { name: 'Clear 1 selected' }).waitFor();
      await page.getByRole('row', { name: /reasoner/ }).click();
      await page.getByRole('button', { name: 'Compare with selected' }).click();
      const dialog = page.getByRole('dialog', { name: 'Compare two requests' });
      await dialog
        .getByRole('columnheader', { name: /^reasoner · / })
        .first()
        .waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      // The keys of a row hold for the open one, wherever the focus is.
      await page.getByRole('tab', { name: 'Usage and cost' }).click();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Remove from comparison' }).waitFor();

      await opened.go('#/generations');
      await page.getByRole('button', { name: 'Show table' }).click();
      await expectNoFindings(opened);
      await page.getByRole('region', { name: 'Requests by time, as a table' }).getByRole('button').first().click();
      await expect.poll(() => page.url()).toMatch(/from=.+&to=/);
      await page
        .getByRole('status')
        .getByText(/^[1-4] found$/)
        .waitFor();
      expect(problems).toEqual([]);
    });

    test('asks for no more than 600 bytes of a call, and of one that ends for the same', async () => {
      const { page, problems } = await ui.open('#/generations');
      const isAt = (path: string) => (message: { url(): string }) => new URL(message.url()).pathname === path;
      // The chart above asks for one generation, the first of all.
      const listed = page.waitForResponse(
        (response) =>
          isAt('/admin/v1/generations')(response) && new URL(response.url()).searchParams.get('limit') !== '1',
      );
      const followed = page.waitForRequest(isAt('/admin/v1/generations/feed'));
      await page.reload();
      const response = await listed;
      const { data } = (await response.json()) as { data: readonly object[] };
      expect(data.length).toBeGreaterThanOrEqual(4);
      expect(Math.max(...data.map((row) => JSON.stringify(row).length))).toBeLessThanOrEqual(600);
      const fieldsOf = (url: string) => new URL(url).searchParams.get('fields')?.split(',').toSorted();
      expect(fieldsOf((await followed).url())).toEqual(fieldsOf(response.url()));
      expect(Object.keys(data[0] ?? {}).toSorted()).toEqual(fieldsOf(response.url()));
      expect(problems).toEqual([]);
    });

    test('has what ended while another screen was open', async () => {
      const { page, problems } = await ui.open('#/generations?model=demo/reasoner');
      await page.getByRole('status').getByText('1 found').waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      await page.getByRole('heading', { name: 'Models' }).waitFor();
      await chat('Hello!', { model: 'demo/reasoner' });
      await page.goBack();
      await page.getByRole('status').getByText('2 found').waitFor();
      expect(await page.getByRole('row').count()).toBe(3);
      expect(problems).toEqual([]);
    });

    test('keeps the focus in a panel that covers the list, and gives it back to the list', async () => {
      const opened = await ui.open('#/generations', { viewport: { width: 700, height: 800 } });
      const { page, problems } = opened;
      await page.getByRole('grid').focus();
      await page.keyboard.press('j');
      const row = await page.getByRole('grid').getAttribute('aria-activedescendant');
      await page.keyboard.press(' ');
      const panel = page.getByRole('dialog', { name: /^Generation gen-/ });
      await panel.waitFor();
      expect(await focused(page)).toBe('dialog');
      await expectNoFindings(opened);
      for (let step = 0; step < 40; step += 1) {
        await page.keyboard.press('Tab');
        const isWithin =
          "document.activeElement === document.body || document.activeElement.closest('[aria-modal]') !== null";
        expect(await page.evaluate(isWithin)).toBe(true);
      }
      // A menu that opens from the panel is part of it.
      await panel.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Copy as curl' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('grid');
      expect(await page.getByRole('grid').getAttribute('aria-activedescendant')).toBe(row);
      expect(await page.locator('[inert]').count()).toBe(0);
      expect(problems).toEqual([]);
    });

    test('closes with Escape where letters are switched off, and from a field at the second press', async () => {
      const { page, problems } = await ui.open('#/settings');
      await page.getByLabel('Shortcuts without Ctrl or Cmd').uncheck();
      await page.goto(`${ui.url}/ui/#/models?open=demo/chat`);
      const panel = page.getByRole('region', { name: 'Model demo/chat' });
      await panel.getByRole('tab', { name: 'Availability' }).click();
      await panel.getByLabel('For key').focus();
      await page.keyboard.press('Escape');
      expect(await focused(page)).toBe('SECTION');
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('grid');
      expect(problems).toEqual([]);
    });

    test('sends images, PDF and audio, dropped or chosen, and says beforehand what is too much', async () => {
      const opened = await ui.open('#/playground?models=demo/chat', {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const { page, problems } = opened;
      await page.getByTitle(/Images, PDF and audio, up to 8\.0\sMB each and 20\.0\sMB together/).waitFor();
      const input = page.getByLabel('Files to attach');
      await input.setInputFiles({
        name: 'large.png',
        mimeType: 'image/png',
        buffer: Buffer.alloc(8 * 1024 * 1024 + 1),
      });
      await page.getByText('“large.png” is 8.0 MB; the limit is 8.0 MB').first().waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await input.setInputFiles({ name: 'a.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('ID3') });
      await page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['%PDF-1.4'], 'report.pdf', { type: 'application/pdf' }));
        const target = document.querySelector('textarea');
        for (const type of ['dragover', 'drop'])
          target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      })()`);
      await page.getByRole('button', { name: 'Remove report.pdf' }).waitFor();
      await page.getByText('demo/chat: no audio, no file').waitFor();
      await expectNoFindings(opened);
      await opened.screenshot('playground-attached');
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What is it?');
      const [request] = await Promise.all([
        page.waitForRequest(/chat\/completions/),
        page.keyboard.press('Control+Enter'),
      ]);
      const sent = request.postDataJSON() as { messages: { content: unknown }[] };
      expect(sent.messages[0]?.content).toEqual([
        { type: 'text', text: 'What is it?' },
        { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
        { type: 'file', file: { filename: 'report.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' } },
      ]);
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByText('Copied as curl').first().waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).toContain('"input_audio"');
      expect(copied).not.toContain('sk-gw');
      // The demo takes texts and images, and says so.
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    });

    test('keeps to the page of a call that is on its way, whatever is clicked beside the list until then', async () => {
      const { page, problems } = await ui.open(`#/generations?open=${ids.first}`);
      await page.getByRole('tab', { name: 'Usage and cost' }).waitFor();
      // In one task: the page of the call cannot be there between the two.
      await page.evaluate(`(() => {
        const grid = document.querySelector('[role=grid]');
        grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        const tab = [...document.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === 'Usage and cost');
        tab.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0 }));
      })()`);
      await page.getByRole('grid').waitFor({ state: 'detached' });
      expect(new URL(page.url()).hash).toContain(`#/generations/${ids.first}`);
      expect(problems).toEqual([]);
    });

    test('shows what models were called for, and the state of the gateway', async () => {
      const { page, problems, go } = await ui.open('#/models?open=demo/chat');
      await page.getByRole('tab', { name: 'Usage' }).click();
      await page.getByRole('row', { name: /^30 days 3/ }).waitFor();
      await page.getByRole('link', { name: 'View requests' }).click();
      await page.getByRole('status').getByText('3 found').waitFor();
      await go('#/');
      const figure = (label: string) => page.getByText(label, { exact: true }).locator('..');
      await figure('First token p50')
        .getByText(/\d\sm?s$/)
        .first()
        .waitFor();
      await figure('Running requests').getByText('0', { exact: true }).waitFor();
      expect(problems).toEqual([]);
    });

    test.each([
      ['at 200 %', { width: 680, height: 425 }],
      ['320 pixels wide', { width: 320, height: 480 }],
    ])('loses nothing %s', async (_, viewport) => {
      const { page, problems, go } = await ui.open('#/', { viewport, reducedMotion: 'reduce' });
      const screens = ['', 'models', 'generations', 'playground', 'videos', 'guardrails', 'keys', 'destinations'];
      const panels = [`generations?open=${ids.first}`, 'models?open=demo/chat', 'generations?text=flamingo'];
      const lost: unknown[] = [];
      for (const hash of [...screens, ...panels, 'providers', 'fixtures', 'reruns', 'settings']) {
        await go(`#/${hash}`);
        const found = (await page.evaluate(FIND_LOST)) as string[];
        lost.push(...found.map((text) => `${hash}: ${text}`));
      }
      expect(lost).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('tells what is chosen without colours of its own, and moves nothing where that is not wanted', async () => {
      const { page, problems, go, screenshot } = await ui.open(`#/generations?open=${ids.failed}`, {
        forcedColors: 'active',
        reducedMotion: 'reduce',
      });
      const outlineOf = (selector: string): Promise<unknown> =>
        page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`);
      expect(await outlineOf('[role=row][aria-selected=true]')).toBe('solid');
      expect(await outlineOf('[role=tab][aria-selected=true]')).toBe('solid');
      expect(await outlineOf('nav [aria-current=page]')).toBe('solid');
      expect(await outlineOf('[role=row][aria-selected=false]')).toBe('none');
      await screenshot('generations-forced-colors');
      await go('#/playground?models=demo/chat');
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello!');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('status').getByText('ok', { exact: true }).waitFor();
      const durations = await page.evaluate(
        'document.getAnimations().map(({ effect }) => Number(effect.getTiming().duration)).filter((ms) => ms > 1)',
      );
      expect(durations).toEqual([]);
      expect(problems).toEqual([]);
    });
  },
);
