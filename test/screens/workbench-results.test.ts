import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import { firstOrAll } from '../e2e/nightly.ts';
import {
  API_KEY,
  CHOOSE_KEY,
  columnOf,
  composerOf,
  isOk,
  MANAGEMENT_KEY,
  PNG,
  requests,
  say,
  startWorkbench,
  type Workbench,
} from './workbench-ui.ts';

const HOSTILE = '<img src=x onerror=alert(1)> [a](javascript:alert(1))';

let workbench: Workbench;

describe.skipIf(skipped !== undefined)(
  `what models make in the playground as a workbench${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      workbench = await startWorkbench();
    }, 60_000);
    afterAll(() => workbench?.close());

    test('describes a tool by rows, shows its call, and sends the typed result on', async () => {
      const { page, problems, check, screenshot } = await workbench.open('#/playground?models=acme/mini');
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
      const { page, problems } = await workbench.open('#/playground?models=acme/painter');
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
      const { page, problems } = await workbench.open('#/playground?models=acme/speaker');
      await say(page, 'Speak');
      await columnOf(page, 1).getByText('I say so.').waitFor();
      expect(requests.at(-1)).toMatchObject({ modalities: ['text', 'audio'], audio: { format: 'pcm16' } });
      await expect.poll(() => page.evaluate('document.querySelector("audio").duration')).toBeCloseTo(0.1, 3);
      expect(problems).toEqual([]);
    });

    test('announces that the texts of two compared calls are loading', async () => {
      const { page } = await workbench.open('#/generations');
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/generation/content*', async (route) => {
        await held;
        await route.continue();
      });
      await page.evaluate(`location.hash = '#/generations?compare=${workbench.recorded},${workbench.other}'`);
      const dialog = page.getByRole('dialog', { name: 'Compare two requests' });
      await dialog.getByRole('status').filter({ hasText: 'Loading both texts' }).waitFor();
      release();
      await dialog.getByRole('insertion').filter({ hasText: 'grey' }).waitFor();
    });

    test('marks what differs in two compared calls, and goes on with both', async () => {
      const { page, problems, check, screenshot } = await workbench.open(
        `#/generations?compare=${workbench.recorded},${workbench.other}`,
      );
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
      const { page, problems, check, screenshot } = await workbench.open('#/playground?models=acme/mini');
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
      const { page, problems } = await workbench.ui.open('#/playground?models=acme/mini', {
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
      const opened = await workbench.ui.open('#/playground?models=acme/claude-sonnet-4.5,acme/mini,acme/painter', {
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
