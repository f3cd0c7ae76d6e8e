import { describe, expect, test } from 'vitest';

import { runCommandLine } from '../support/test-run/run-command-line.ts';
import { skipped } from './launch-ui.ts';
import { expectNoToken, expectToSignIn, findPrintedLink, openInBrowser } from './printed-link.ts';
import { WAYS_IN } from './ways-in.ts';

/** Resolves with the link that a command line prints. */
const printLink = (commandLine: string): Promise<string> => runCommandLine(commandLine).printed(findPrintedLink);

describe.skipIf(skipped !== undefined)(
  `the link that the gateway prints${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test.each(Object.entries(WAYS_IN))('signs in after %s', async (_name, commandLine) => {
      await expectToSignIn(await printLink(commandLine));
    });

    test.each([
      ['without its name', '#'],
      ['in a query', '?token='],
    ])('signs in with the token %s', async (_name, form) => {
      const link = await printLink('model-gateway serve --no-demo');
      await expectToSignIn(link.replace('#token=', form));
    });

    test('leads to the sign-in page from the address alone', async () => {
      const link = await printLink('model-gateway serve --demo');
      const page = await openInBrowser(new URL('/', link).href);
      await page.getByLabel('Management key').waitFor();
      expect(page.url()).toContain('/ui/');
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
