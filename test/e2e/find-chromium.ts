import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium } from 'playwright-core';

/** The same browser without windows takes a fifth less time. */
const HEADLESS = ['chromium-headless-shell'];
const WITH_WINDOWS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Finds the browser for the tests: the one of `CHROMIUM_PATH`, else one on the path, else one that Playwright has
 * installed; undefined when there is none. When windows are required, a browser without windows is returned only if
 * there is no other.
 */
export function findChromium(
  { hasWindows }: { readonly hasWindows: boolean } = { hasWindows: false },
): string | undefined {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH;
  const names = hasWindows ? [...WITH_WINDOWS, ...HEADLESS] : [...HEADLESS, ...WITH_WINDOWS];
  const onPath = names.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  return [...onPath, chromium.executablePath()].find((file) => existsSync(file));
}
