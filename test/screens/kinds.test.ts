import { readFileSync } from 'node:fs';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const RECORDING = readFileSync(new URL('../../fixtures/demo/audio/synthetic-alba-mp3/response.bin', import.meta.url));

const run = (page: Page): Promise<void> => page.getByRole('button', { name: 'Run' }).click();

describe.skipIf(skipped !== undefined)(
  `the playground of other kinds${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    test('speaks a text with each voice, plays and saves the sound, and leads to its record', async () => {
      const { page, check, problems } = await ui.open('#/models/demo/speech');
      await page.getByRole('main').getByRole('link', { name: 'Playground' }).first().click();
      await page.getByLabel('Text', { exact: true }).fill('Good morning!');
      await page.keyboard.press('Control+Enter');
      const results = page.getByRole('article', { name: 'Result of demo/speech' });
      await results.locator('audio').waitFor();
      await page.getByLabel('Voice').selectOption('bruno');
      await page.getByLabel('Format').selectOption('wav');
      await run(page);
      await results.nth(1).locator('audio').waitFor();
      // The browser has understood it: four seconds of a voice.
      await expect.poll(() => page.evaluate<number>('document.querySelector("audio").duration')).toBeGreaterThan(3);
      const download = page.waitForEvent('download');
      await results.first().getByRole('button', { name: 'Download' }).click();
      expect((await download).suggestedFilename()).toBe('speech.wav');
      await results.first().getByText('$0.000195').waitFor();
      expect(await check()).toEqual([]);
      await results.first().getByRole('link', { name: 'Generation' }).click();
      await page.getByRole('tab', { name: 'Usage and cost' }).waitFor();
      expect(problems).toEqual([]);
    });

    test('says what a provider objects to, and keeps what was entered', async () => {
      const { page } = await ui.open('#/playground?kind=speech');
      await run(page);
      await page.getByText('Type a text first', { exact: true }).waitFor();
      await page.getByLabel('Text', { exact: true }).fill('Good morning!');
      await page.getByLabel('Format').selectOption('flac');
      await run(page);
      await page.getByRole('alert').getByText('The demo speaks mp3, wav and pcm').waitFor();
      await page.getByRole('radio', { name: 'Moderation' }).click();
      await page.getByRole('radio', { name: 'Speech' }).click();
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('Good morning!');
      await page.getByRole('alert').waitFor();
    });

    test('transcribes a file that is chosen, with times that lead into its sound', async () => {
      const { page, check, problems } = await ui.open('#/playground?kind=transcription');
      const file = { name: 'hello.mp3', mimeType: 'audio/mpeg', buffer: RECORDING };
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByText('hello.mp3').waitFor();
      await run(page);
      const segments = page.getByRole('list', { name: 'Segments' });
      await segments.getByText('This is a prepared transcript.').waitFor();
      await segments.getByRole('button', { name: '0:02.6 – 0:07.9' }).click();
      await expect
        .poll(() => page.evaluate<number>('document.querySelector("audio").currentTime'))
        .toBeGreaterThan(2.5);
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('compares texts by their vectors', async () => {
      const { page, check, problems } = await ui.open('#/playground?kind=embeddings');
      await page.getByLabel('Texts').fill('Reset my password\nMy password was reset\n\nApple pie');
      await page.getByText('3 texts').waitFor();
      await page.getByLabel('Dimensions').fill('64');
      await run(page);
      const row = page.getByRole('row', { name: /^1\s*Reset my password/ });
      await row.waitFor();
      const cells = (await row.getByRole('cell').allInnerTexts()).map(Number);
      expect(cells[0]).toBe(1);
      expect(cells[1]).toBeGreaterThan(cells[2] ?? 1);
      await page.getByText('64 dimensions').waitFor();
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('orders documents by their relevance, and judges a text by category', async () => {
      const { page, check, problems, go } = await ui.open('#/playground?kind=rerank');
      await page.getByLabel('Question').fill('change my password');
      await page.getByLabel('Documents').fill('Apples are red\nChange your password in Settings');
      await run(page);
      const ranking = page.getByRole('list', { name: 'Documents by relevance' }).getByRole('listitem');
      await expect.poll(() => ranking.allInnerTexts()).toHaveLength(2);
      expect((await ranking.allInnerTexts())[0]).toContain('Change your password');
      expect((await ranking.allInnerTexts())[0]).toContain('was 2');
      expect(await check()).toEqual([]);
      await go('#/playground?kind=moderation');
      await page.getByLabel('Text', { exact: true }).fill('I will kill that process.');
      await run(page);
      await page.getByText('flagged', { exact: true }).waitFor();
      expect((await page.getByRole('list', { name: 'Scores by category' }).innerText()).split('\n')[0]).toBe(
        'violence',
      );
      expect(await check()).toEqual([]);
      expect(problems).toEqual([]);
    });

    test('has the call as code, with the key in a variable', async () => {
      const { page } = await ui.open('#/playground?kind=embeddings', {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await page.getByLabel('Texts').fill('One\nTwo');
      await page.getByRole('button', { name: 'Code' }).click();
      await page.getByRole('menuitem', { name: /Python/ }).click();
      await page.getByText(/^Copied: .*Python/).waitFor();
      const code = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(code).toContain(
        'result = client.embeddings.create(\n    model="demo/embeddings",\n    input=["One","Two"],',
      );
      expect(code).toContain('os.environ["GATEWAY_API_KEY"]');
    });

    test.each([480, 1440])('fits %s pixels in German', async (width) => {
      const { page, check } = await ui.open('#/playground?kind=speech', {
        locale: 'de-DE',
        viewport: { width, height: 900 },
      });
      // A narrow window has a list in place of the buttons.
      if (width === 480) await page.getByRole('combobox', { name: 'Art der Anfrage' }).selectOption('Transkription');
      else await page.getByRole('radio', { name: 'Transkription' }).click();
      await page.getByRole('button', { name: 'Aufnehmen' }).waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await check()).toEqual([]);
    });
  },
);
