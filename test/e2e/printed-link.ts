import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

import { launchBrowser } from './launch-ui.ts';

/** The link to the UI as it stands in what a process has printed for people; undefined until it is there. */
export const findPrintedLink = (printed: string): string | undefined =>
  /https?:\/\/[^\s"]+\/ui\/[^\s"]*/.exec(printed)?.[0];

/** Opens an address in a new browser, as a person does who has never been there. */
export async function openInBrowser(address: string): Promise<Page> {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(address);
  return page;
}

/** Opens the link, expects to be signed in by it, and its token to be neither in the address nor in the history. */
export async function expectToSignIn(link: string | undefined): Promise<Page> {
  expect(link).toBeDefined();
  const page = await openInBrowser(link ?? '');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  expect(await page.getByText('Page not found').count()).toBe(0);
  await expectNoToken(page, link ?? '');
  return page;
}

/** Expects that neither the address nor the history of the page has the token of this link. */
export async function expectNoToken(page: Page, link: string): Promise<void> {
  const token = /[\w-]+$/.exec(link)?.[0] ?? '';
  expect(token.length).toBeGreaterThan(20);
  const devtools = await page.context().newCDPSession(page);
  const { entries } = await devtools.send('Page.getNavigationHistory');
  for (const address of [page.url(), ...entries.map(({ url }) => url)]) expect(address).not.toContain(token);
}
