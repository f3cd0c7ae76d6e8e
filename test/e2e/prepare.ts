import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { installPackages } from '../support/test-run/install-packages.ts';
import { findChromium } from './find-chromium.ts';

const PLAYWRIGHT = fileURLToPath(new URL('../../node_modules/playwright-core/cli.js', import.meta.url));
const DOWNLOAD_LIMIT_MS = 300_000;

/**
 * Installs a browser where there is none: a package of the system's where that may be done, else the one of Playwright.
 * Where neither can be had, the tests say so and are skipped.
 */
export function setup(): void {
  // Older Debians have the second only.
  for (const name of ['chromium-headless-shell', 'chromium'])
    installPackages(() => (findChromium() === undefined ? [name] : []));
  if (findChromium() === undefined) downloadChromium();
}

function downloadChromium(): void {
  try {
    execFileSync(process.execPath, [PLAYWRIGHT, 'install', '--no-shell', 'chromium'], {
      stdio: 'ignore',
      timeout: DOWNLOAD_LIMIT_MS,
    });
  } catch {
    // No way to the internet, for one.
  }
}
