import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Page } from 'playwright-core';

const DOCS = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const RESULTS = fileURLToPath(new URL('../../../test-results/docs/', import.meta.url));

/**
 * Renews a picture of the docs with `WRITE_PICTURES=1`; else it is kept to be looked at, with `TEST_FULL=1`. The mouse
 * is taken away, unless what it points at belongs to the picture.
 */
export async function keepPicture(page: Page, name: string, isPointing = false): Promise<void> {
  const isWritten = process.env['WRITE_PICTURES'] === '1';
  if (!isWritten && process.env['TEST_FULL'] !== '1') return;
  const folder = isWritten ? DOCS : RESULTS;
  mkdirSync(folder, { recursive: true });
  if (!isPointing) await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `${name}.png`), caret: 'hide' });
}
