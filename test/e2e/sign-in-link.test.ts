import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { root } from '../support/snippets/read-snippets.ts';
import { AFTER_BUILD, runCommandLine } from '../support/test-run/run-command-line.ts';
import { skipped } from './launch-ui.ts';
import { expectNoToken, expectToSignIn, findPrintedLink, openInBrowser } from './printed-link.ts';

/** Resolves with the link that a command line prints. */
const printLink = (commandLine: string): Promise<string> => runCommandLine(commandLine).printed(findPrintedLink);

/** What the container runs, in the place of its folders. */
function readContainerCommand(): string {
  const dockerfile = readFileSync(`${root}Dockerfile`, 'utf8');
  const wordsOf = (instruction: string): string[] =>
    JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]') as string[];
  const words = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')];
  return words.join(' ').replace('packages/', `${root}packages/`).replace(' /data', ' data');
}

describe.skipIf(skipped !== undefined)(
  `the link that the gateway prints${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test.each([
      ['npm start', AFTER_BUILD],
      ['serve, told nothing', 'model-gateway serve'],
      ['the demo', 'model-gateway serve --demo'],
      ['no demo', 'model-gateway serve --no-demo'],
      ['the command of the container', readContainerCommand()],
    ])('signs in after %s', async (_name, commandLine) => {
      await expectToSignIn(await printLink(commandLine));
    });

    test.each([
      ['without its name', '#'],
      ['in a query', '?token='],
    ])('signs in with the token %s', async (_name, form) => {
      const link = await printLink('model-gateway serve --no-demo');
      await expectToSignIn(link.replace('#token=', form));
    });

    test('does not sign in twice, says so in plain words, and leads to the start all the same', async () => {
      const link = await printLink('model-gateway serve --demo');
      await expectToSignIn(link);
      const page = await openInBrowser(link);
      const note = page.getByRole('alert');
      await note.waitFor();
      expect(await note.innerText()).toContain('This link has expired or was already used');
      expect(await note.innerText()).toContain('It works once, within ten minutes');
      await expectNoToken(page, link);
      await page.getByRole('button', { name: 'Use the demo key' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      expect(await page.getByText('Page not found').count()).toBe(0);
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    test('signs in where the sign-in page, or a screen, is open already', async () => {
      const link = await printLink('model-gateway serve --demo');
      const page = await openInBrowser(link.replace(/#.*/, '#/models'));
      await page.getByLabel('Management key').waitFor();
      // Only the fragment changes, so the document stays.
      await page.goto(link);
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await expectNoToken(page, link);

      // Used by now, which is no matter to a page that is signed in.
      await page.goto(link);
      await expect.poll(() => page.url()).not.toContain('token=');
      await page.getByRole('link', { name: 'Models' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
      expect(await page.getByText('Page not found').count()).toBe(0);
    });
  },
);
