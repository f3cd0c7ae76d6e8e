import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

import { findChromium } from './find-chromium.ts';
import { findViolations } from './find-violations.ts';
import { type Contexts, shareContexts } from './share-contexts.ts';

// The real command and the built bundle, so this needs a build; `npm test` makes one first.
const BIN = fileURLToPath(new URL('../../packages/server/bin/model-gateway.js', import.meta.url));
const BUNDLE = fileURLToPath(new URL('../../packages/ui/bundle/index.html', import.meta.url));
const SCREENSHOTS = fileURLToPath(new URL('../../test-results/e2e/', import.meta.url));
export const API_KEY = 'sk-gw-v1-demo';
export const MANAGEMENT_KEY = 'sk-gw-v1-demo-management';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process draws all pages of a file: to start one for each takes longer than many tests do.
  '--renderer-process-limit=1',
  // Nothing but this machine has a name, so that no test depends on, or reaches, anything else.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Nothing of the tests' own environment but where Node.js keeps what it has compiled. */
const { NODE_COMPILE_CACHE } = process.env;
const ENV = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

const executablePath = findChromium();

const BLANK = 'about:blank';
const NOWHERE = '/nowhere';

/** Why these tests cannot run here; undefined where they can. */
export const skipped =
  executablePath === undefined
    ? 'there is no Chromium: apt-get install chromium, or name one in CHROMIUM_PATH'
    : existsSync(BUNDLE)
      ? undefined
      : 'the UI is not built: npm run build';

/** A gateway with a browser in front of it. */
export interface Ui {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly call: (path: string, init?: { readonly body?: unknown; readonly key?: string }) => Promise<Response>;
  /** A page of its own, signed in unless told otherwise. What goes wrong in it is in `problems`. */
  readonly open: (hash: string, options?: OpenOptions) => Promise<UiPage>;
  /** The gateway dies at once, as when its machine does; its pages stay. */
  readonly kill: () => void;
  readonly close: () => Promise<void>;
}

interface OpenOptions extends BrowserContextOptions {
  readonly isSignedIn?: boolean;
  readonly managementKey?: string;
  /** Runs in every document of the page before its own scripts. */
  readonly initScript?: string;
  /** The test moves the clock of the page. It is installed before the page loads: one that comes later shows 1970 first. */
  readonly hasClock?: boolean;
  /** Left open after the test, for the next. */
  readonly isKept?: boolean;
  /** Nothing is cached yet, as at the first visit. */
  readonly isFirstVisit?: boolean;
}

export interface UiPage {
  readonly page: Page;
  /**
   * Violations of the content security policy, errors of scripts and of the console, requests that left the machine.
   */
  readonly problems: string[];
  /** Loads the page anew at the address. */
  readonly go: (hash: string) => Promise<void>;
  /** Leads to another screen within the page, as a link does: a fifth of the work of a load. */
  readonly follow: (hash: string) => Promise<void>;
  /** Violations that axe finds, a line each; only of colours, when all other rules were checked in the other theme. */
  readonly check: (options?: { readonly ofColours: boolean }) => Promise<string[]>;
  /** Kept for people to look at, so only with `TEST_FULL=1`. */
  readonly screenshot: (name: string) => Promise<void>;
}

interface LaunchOptions {
  /** A configuration instead of demo mode. Its keys must not be those of the demo. */
  readonly config?: object;
  /** A directory of fixtures that respond instead of the demo's; with a configuration, one to record in. */
  readonly fixtures?: string;
  readonly managementKey?: string;
  /** Fills the data directory before the gateway starts. */
  readonly prepareData?: (dataDir: string) => Promise<void>;
  /** No provider at all, instead of demo mode. Its management key is made. */
  readonly isEmpty?: boolean;
}

export async function launchUi(options: LaunchOptions = {}): Promise<Ui> {
  const { config, fixtures, isEmpty = false, prepareData } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-e2e-'));
  await prepareData?.(dataDir);
  const managementKey = options.managementKey ?? (isEmpty ? await createManagementKey(dataDir) : MANAGEMENT_KEY);
  const { child, url } = await startGateway(dataDir, { config, fixtures, isEmpty });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const browser = await launchBrowser();
  const contexts = shareContexts(browser, url);
  mkdirSync(SCREENSHOTS, { recursive: true });
  return {
    url,
    call: (path, { body, key = managementKey } = {}) =>
      fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    open: (hash, options) => openPage(contexts, url, hash, { managementKey, ...options }),
    kill: () => void child.kill('SIGKILL'),
    async close() {
      await browser.close();
      child.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts the browser of these tests, which must not be skipped. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: FLAGS });

async function createManagementKey(dataDir: string): Promise<string> {
  const args = [BIN, 'keys', 'create', '--name', 'tests', '--management', '--data-dir', dataDir];
  return (await promisify(execFile)(process.execPath, args, { env: ENV })).stdout.trim();
}

interface GatewaySource {
  readonly config: object | undefined;
  readonly fixtures: string | undefined;
  readonly isEmpty: boolean;
}

async function startGateway(
  dataDir: string,
  { config, fixtures, isEmpty }: GatewaySource,
): Promise<{ child: ChildProcess; url: string }> {
  const file = join(dataDir, 'gateway.json');
  if (config !== undefined) writeFileSync(file, JSON.stringify(config));
  const place = fixtures === undefined ? [] : [config === undefined ? '--fixtures' : '--record', fixtures];
  const source =
    config !== undefined ? ['--config', file] : fixtures === undefined ? [isEmpty ? '--no-demo' : '--demo'] : [];
  const args = [BIN, 'serve', ...source, ...place, '--port', '0', '--data-dir', dataDir, '--log-level', 'error'];
  const child = spawn(process.execPath, args, { cwd: dataDir, env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (data) => (errors += String(data)));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data)));
    child.once('close', (code) => reject(new Error(`the gateway exited with ${code}: ${errors}`)));
  });
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

async function openPage(contexts: Contexts, url: string, hash: string, options: OpenOptions = {}): Promise<UiPage> {
  const {
    isSignedIn = true,
    managementKey = MANAGEMENT_KEY,
    initScript = '',
    hasClock = false,
    isKept = false,
    isFirstVisit = false,
    ...contextOptions
  } = options;
  // A clock stays in its context.
  const { context, page, giveBack } = await contexts.take({
    options: contextOptions,
    isOwn: hasClock || isKept || isFirstVisit,
  });
  if (!isKept) onTestFinished(giveBack);
  if (isSignedIn) await context.request.post(`${url}/admin/v1/session`, { data: { key: managementKey } });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective, event.blockedURI))",
  );
  await page.addInitScript(initScript);
  if (hasClock) await page.clock.install();
  const problems: string[] = [];
  page.on('console', (message) => {
    const isProblem = message.type() === 'error' || message.type() === 'warning';
    if (isProblem) problems.push(`console: ${message.text()} ${message.location().url.replace(url, '')}`);
  });
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('blob:'))
      problems.push(`request: ${request.url()}`);
  });
  const settle = async (): Promise<void> => {
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // Not `waitForFunction`, which the content security policy refuses.
    await page
      .getByRole('status')
      .filter({ hasText: /^Loading/ })
      .first()
      .waitFor({ state: 'detached' });
  };
  const go: UiPage['go'] = async (next) => {
    // Away first, or the same document would go on and the screen before be taken for this one. (A query of the
    // document would become part of the screen's.)
    if (page.url() !== BLANK) await page.goto(BLANK);
    await page.goto(`${url}/ui/${next}`);
    await settle();
  };
  const follow: UiPage['follow'] = async (next) => {
    // By way of an address of no screen, or the screen before might be taken for this one.
    const nowhere = page.locator('main').getByText(NOWHERE, { exact: true });
    await page.evaluate(`location.assign('#${NOWHERE}')`);
    await nowhere.waitFor();
    await page.evaluate(`location.assign(${JSON.stringify(next)})`);
    await nowhere.waitFor({ state: 'detached' });
    await settle();
  };
  await go(hash);
  return {
    page,
    problems,
    go,
    follow,
    check: (options) => findViolations(page, options),
    async screenshot(name) {
      if (process.env['TEST_FULL'] !== '1') return;
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    },
  };
}
