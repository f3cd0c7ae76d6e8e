import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { endProcess } from '../support/test-run/end-process.ts';
import { skipped } from './launch-ui.ts';
import { expectNoToken, expectToSignIn, findPrintedLink, openInBrowser } from './printed-link.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: { start: string } };

/** What `npm start` runs after the build, which other tests rely on meanwhile. */
const AFTER_BUILD = scripts.start.split('exec ').at(-1) ?? '';

/** Runs a command line in an empty folder, as npm runs a script, and resolves with the link that it prints. */
async function printLink(commandLine: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'printed-link-'));
  const env = { HOME: folder, PATH: [`${ROOT}node_modules/.bin`, process.env['PATH'] ?? ''].join(delimiter) };
  const child = spawn('sh', ['-c', `exec ${commandLine} --port 0`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  });
  let printed = '';
  child.stderr.setEncoding('utf8');
  for await (const text of child.stderr) {
    printed += String(text);
    const link = findPrintedLink(printed.slice(0, printed.lastIndexOf('\n')));
    if (link !== undefined) return link;
  }
  throw new Error(`ended without a link: ${printed}`);
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
