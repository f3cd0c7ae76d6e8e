import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import { createHand, type Effort, type Hand, printTranscript } from './hand.ts';
import { startKeyedUpstream, UPSTREAM_KEY } from './keyed-upstream.ts';

interface FirstMinute {
  /** How the gateway was started, as the title of the transcript. */
  readonly way: string;
  /** When it was started, by `performance.now()`. */
  readonly beganMs: number;
  /** The page that the gateway's own output leads to; undefined where it has opened a window itself. */
  readonly link: string | undefined;
  readonly page: Page;
  /** What was copied. Default: of the page's browser. */
  readonly readClipboard?: () => Promise<string>;
}

/** Most clicks and seconds that each part may take. */
const LIMITS = {
  signedIn: { clicks: 1 },
  call: { clicks: 5, seconds: 15 },
  tool: { clicks: 3 },
} as const;

/**
 * The first minute of somebody new: from what the process has printed to the first response and the first tool, by what
 * the page offers alone. Prints what was done, and fails where it takes more than promised.
 */
export async function takeFirstMinute({ way, beganMs, link, page, readClipboard }: FirstMinute): Promise<void> {
  const hand = createHand(page, beganMs);
  // The window of the app has its own clipboard.
  if (readClipboard === undefined) await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  hand.note(link === undefined ? 'the window is open' : 'the link is printed');
  hand.endPart('started');
  try {
    const signedIn = await signIn(hand, page, link);
    const call = await takeFirstCall(hand, page);
    const tool = await connectCurl(hand, page, readClipboard ?? (() => readFromBrowser(page)));
    expect(signedIn.clicks).toBeLessThanOrEqual(LIMITS.signedIn.clicks);
    expect(call.clicks).toBeLessThanOrEqual(LIMITS.call.clicks);
    expect(call.seconds).toBeLessThanOrEqual(LIMITS.call.seconds);
    expect(tool.clicks).toBeLessThanOrEqual(LIMITS.tool.clicks);
  } finally {
    printTranscript(way, hand);
  }
}

async function signIn(hand: Hand, page: Page, link: string | undefined): Promise<Effort> {
  if (link !== undefined) {
    await hand.follow(link);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  return hand.endPart('signed in');
}

/** What the page begins with, and what leads from there to a response: a provider, a test request, or the playground. */
async function takeFirstCall(hand: Hand, page: Page): Promise<Effort> {
  const provider = page.getByRole('heading', { name: 'Add your first provider' });
  const hello = page.getByRole('heading', { name: /^Say hello to/ });
  const overview = page.getByRole('heading', { level: 2, name: 'Last 24 hours' });
  await provider.or(hello).or(overview).first().waitFor();
  if (await provider.isVisible()) return addProvider(hand, page);
  return (await hello.isVisible()) ? sayHello(hand, page) : askDemo(hand, page);
}

/** A server of models of one's own, with its key. */
async function addProvider(hand: Hand, page: Page): Promise<Effort> {
  const baseUrl = await startKeyedUpstream();
  await hand.click('button', 'Add a provider');
  await hand.type('Search providers', 'another');
  await page.getByRole('button', { name: /^Another/ }).waitFor();
  await hand.press('Enter');
  await hand.type('Address', baseUrl);
  await hand.press('Tab');
  await hand.type('Key', UPSTREAM_KEY);
  await hand.press('Enter');
  await page.getByRole('group', { name: 'Models' }).waitFor();
  await hand.click('button', 'Save');
  await hand.click('button', 'Next');
  const send = page.getByRole('button', { name: /^Send/ });
  const create = page.getByRole('button', { name: /^Create a key named/ });
  await create.or(send).first().waitFor();
  // The window of the app needs none.
  if (await create.isVisible()) await hand.click('button', /^Create a key named/);
  await hand.click('button', /^Send/);
  await page.getByText('Hello from upstream').waitFor();
  await page.getByText('It works').waitFor();
  return hand.endPart('from no provider to a tested call');
}

/** The demo of the app has its provider and no samples, so that the first steps begin with the second. */
async function sayHello(hand: Hand, page: Page): Promise<Effort> {
  await hand.click('button', /^Send/);
  await page.getByText('It works').waitFor();
  return hand.endPart('from the demo to an answered call');
}

/** The demo of the command has samples, and a key to call with. */
async function askDemo(hand: Hand, page: Page): Promise<Effort> {
  await hand.click('link', 'Playground');
  await hand.click('textbox', 'Message');
  await hand.type('Message', 'Write a haiku about the sea.');
  await hand.press('Control+Enter');
  const column = page.getByRole('region', { name: 'Column 1: demo/chat' });
  await column.getByRole('status').getByText('ok', { exact: true }).waitFor();
  return hand.endPart('from the demo to an answered call');
}

/** `curl` is a tool that every machine has: what the page copies is run as it is. */
async function connectCurl(hand: Hand, page: Page, readClipboard: () => Promise<string>): Promise<Effort> {
  const next = page.getByRole('button', { name: 'Next', exact: true });
  if (await next.isVisible()) await hand.click('button', 'Next');
  else await hand.click('link', 'Connect a tool');
  await page.getByRole('searchbox', { name: 'Search tools' }).waitFor();
  await hand.press('/');
  await hand.type('Search tools', 'curl');
  await hand.press('Enter');
  await hand.click('button', /^Create key/);
  await hand.click('button', 'Copy');
  const card = page.getByRole('status', { name: 'First request' });
  await card.getByText('Waiting for the first request from curl').waitFor();
  await expect.poll(readClipboard).toMatch(/^curl /);
  const command = await readClipboard();
  hand.note('pastes it into a terminal');
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { PATH: process.env['PATH'] } });
  expect(JSON.parse(stdout)).toMatchObject({ choices: [{ message: { role: 'assistant' } }] });
  await card.getByText('curl is connected').waitFor();
  return hand.endPart('from there to a connected tool');
}

const readFromBrowser = (page: Page): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
