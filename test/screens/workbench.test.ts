import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import {
  columnOf,
  composerOf,
  finishWriting,
  isOk,
  requests,
  say,
  startWorkbench,
  type Workbench,
} from './workbench-ui.ts';

let workbench: Workbench;

describe.skipIf(skipped !== undefined)(
  `the playground as a workbench${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      workbench = await startWorkbench();
    }, 60_000);
    afterAll(() => workbench?.close());

    test('replays a generation with another model beside the original, in two clicks and the model', async () => {
      const { page, problems, check, screenshot } = await workbench.open(`#/generations?open=${workbench.recorded}`);
      await page.getByRole('button', { name: 'Playground', exact: true }).click();
      await columnOf(page, 1).getByText('original').waitFor();
      await columnOf(page, 1).getByText('blue').waitFor();
      expect(await columnOf(page, 1).locator('footer').innerText()).toMatch(/ok[^]*Here[^]*\$[^]*20 in \/ 10 out/);
      expect(
        await columnOf(page, 1)
          .getByRole('button', { name: /^Edit|^Remove the/ })
          .count(),
      ).toBe(0);
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).click();
      await page.keyboard.type('mini');
      const item = page.getByRole('option', { name: 'Acme: Mini' });
      await item.waitFor();
      expect(await page.getByRole('dialog').getByRole('option').count()).toBe(2);
      await screenshot('workbench-picker');
      expect(await check()).toEqual([]);
      await page.keyboard.press('Control+Enter');
      await isOk(page, 2);
      await columnOf(page, 2).getByText('grey').waitFor();
      expect(requests.at(-1)).toMatchObject({
        model: 'mini',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'How is the sky?' },
        ],
      });
      await page
        .getByLabel('Show differences from')
        .selectOption({ label: 'Differences from 1: acme/claude-sonnet-4.5' });
      const added = columnOf(page, 2).getByRole('insertion').filter({ hasText: 'grey' });
      await added.waitFor();
      expect(await columnOf(page, 2).getByRole('deletion').filter({ hasText: 'blue' }).innerText()).toBe('blue');
      expect(await page.evaluate('getComputedStyle(document.querySelector("article ins")).textDecorationLine')).toBe(
        'underline',
      );
      expect(await check()).toEqual([]);
      await screenshot('workbench-diff');
      expect(problems).toEqual([]);
    });

    test('says that a call cannot be opened, and begins again where wanted', async () => {
      const { page, problems, check } = await workbench.open('#/playground?from=gen-none');
      await page.getByRole('alert').getByText('Couldn’t open the generation').waitFor();
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Start an empty experiment' }).click();
      await columnOf(page, 1).getByText('Send a message to start').waitFor();
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    });

    test('finds models by a part of their name, and takes what names none only as written', async () => {
      const { page, problems } = await workbench.open('#/playground?models=acme/mini');
      await page.getByRole('button', { name: 'Model of column 1: acme/mini' }).click();
      await page.keyboard.type('sonnet');
      const found = page.getByRole('option', { name: 'Acme: Claude Sonnet 4.5' });
      expect(await found.innerText()).toMatch(/\$3(\.00)? \/ \$15(\.00)?[^]*200K context[^]*image input/);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Model of column 1: acme/claude-sonnet-4.5' }).click();
      await page.keyboard.type('best');
      await page.getByRole('option', { name: 'Use best as written' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Model of column 1: best' }).waitFor();
      await say(page, 'Hello');
      await isOk(page, 1);
      await columnOf(page, 1).getByText('blue').waitFor();
      for (let more = 2; more <= 8; more += 1) {
        await page.getByRole('button', { name: 'Model', exact: true }).click();
        await page.keyboard.press('Enter');
      }
      await columnOf(page, 8).waitFor();
      expect(await page.getByRole('button', { name: 'Model', exact: true }).isDisabled()).toBe(true);
      expect(problems).toEqual([]);
    });

    test('adds a column with the model that is picked, and keeps columns that nothing was sent to', async () => {
      const { page, problems } = await workbench.open('#/playground?models=acme/mini');
      const add = page.getByRole('button', { name: 'Model', exact: true });
      await add.click();
      // Letters go into the field of the picker: none is a shortcut of the page behind it.
      await page.keyboard.type('g p sonnet');
      await page.getByLabel('Find a model').fill('sonnet');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).waitFor();
      await add.click();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.getByRole('region', { name: /^Column/ }).count()).toBe(2);
      await page.getByRole('link', { name: 'Models' }).click();
      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByRole('button', { name: 'Model of column 1: acme/mini' }).waitFor();
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).waitFor();
      // Also where the key leads to the screen that is open already.
      await page.getByRole('heading', { name: 'Playground' }).click();
      await page.keyboard.press('g');
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'Model of column 2: acme/claude-sonnet-4.5' }).waitFor();
      await say(page, 'How is the sky?');
      await Promise.all([isOk(page, 1), isOk(page, 2)]);
      await add.click();
      await page.keyboard.type('painter');
      await page.keyboard.press('Control+Enter');
      await isOk(page, 3);
      expect(problems).toEqual([]);
    });

    test('compares nothing where two columns have failed', async () => {
      const { page } = await workbench.open('#/playground?models=acme/broken,acme/broken,acme/mini');
      await say(page, 'How is the sky?');
      await columnOf(page, 2).getByText('No response').waitFor();
      await isOk(page, 3);
      await page.getByLabel('Show differences from').selectOption({ label: 'Differences from 1: acme/broken' });
      await columnOf(page, 3).getByText('The sky is grey today.').waitFor();
      expect(await page.getByText(/Same text as|Differences from column/).count()).toBe(0);
      await page.getByLabel('Show differences from').selectOption({ label: 'Differences from 3: acme/mini' });
      expect(await page.getByText(/Same text as|Differences from column/).count()).toBe(0);
    });

    test('formats a response while it comes, and does not change when it has ended', async () => {
      const { page, problems } = await workbench.open('#/playground?models=acme/writer');
      await say(page, 'Write');
      const column = columnOf(page, 1);
      await column.getByRole('heading', { name: 'Sky' }).waitFor();
      await column.getByRole('listitem').filter({ hasText: 'blue' }).waitFor();
      await column.getByText('streaming', { exact: true }).waitFor();
      const look = async () => {
        const text = column.locator('.prose-said');
        // Line ends between elements have no height.
        return { html: (await text.innerHTML()).replaceAll('>\n<', '><'), box: await text.boundingBox() };
      };
      const before = await look();
      finishWriting();
      await isOk(page, 1);
      expect(await look()).toEqual(before);
      expect(problems).toEqual([]);
    });

    test('goes on with conversations, in all columns or in one, and keeps them over a reload', async () => {
      const { page, problems, check, screenshot } = await workbench.open(
        '#/playground?models=acme/claude-sonnet-4.5,acme/mini',
      );
      await composerOf(page).fill('How is the sky?');
      await columnOf(page, 1)
        .getByText(/Est\. ≈ \$0\.0\d+ for ≈ \d+ in \/ 500 out/)
        .waitFor();
      await columnOf(page, 2).getByText('Est. price unknown').waitFor();
      await page.getByText('Cost: some prices unknown').waitFor();
      await page.keyboard.press('Control+Enter');
      await Promise.all([isOk(page, 1), isOk(page, 2)]);
      await say(page, 'And at night?');
      await columnOf(page, 1).getByText('asked 2 times, and I am sonnet').waitFor();
      await columnOf(page, 2).getByText('asked 2 times, and I am mini').waitFor();
      await page.getByLabel('Send to').selectOption({ label: '2: acme/mini' });
      await say(page, 'Sure?');
      await columnOf(page, 2).getByText('asked 3 times').waitFor();
      expect(await columnOf(page, 1).getByText('Sure?').count()).toBe(0);
      // An edited message is changed wherever it stands, and what follows is asked for again.
      await columnOf(page, 1).getByRole('button', { name: 'Edit the message' }).last().click();
      await page.getByText('Changes 2 columns.').waitFor();
      await page.getByLabel('Text of the message').fill('And at noon?');
      await page.getByRole('button', { name: 'Save and send' }).click();
      await columnOf(page, 2).getByText('asked 2 times').waitFor();
      expect(await columnOf(page, 2).getByText('Sure?').count()).toBe(0);
      await columnOf(page, 2).getByText('And at noon?').waitFor();
      await columnOf(page, 1).getByRole('button', { name: 'Regenerate' }).click();
      await isOk(page, 1);
      await columnOf(page, 2).getByRole('button', { name: 'Remove the message' }).last().click();
      await columnOf(page, 2).getByText('And at noon?').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await columnOf(page, 2).getByText('And at noon?').waitFor();
      await composerOf(page).fill('Half a question');
      expect(await check()).toEqual([]);
      await page.getByText('Saved in this browser').waitFor();
      await page.reload();
      await columnOf(page, 2).getByText('asked 2 times, and I am mini').waitFor();
      await isOk(page, 1);
      expect(await composerOf(page).inputValue()).toBe('Half a question');
      await screenshot('workbench-conversation');
      // The screen is left, and come back to without an address.
      await page.getByRole('link', { name: 'Models' }).click();
      await page.getByRole('link', { name: 'Playground' }).click();
      await columnOf(page, 2).getByText('asked 2 times, and I am mini').waitFor();
      expect(problems).toEqual([]);
    });
  },
);
