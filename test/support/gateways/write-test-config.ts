import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

/**
 * Writes a config file that goes with the test, in a folder of its own; returns its path. A test that runs beside others
 * hands in the `onTestFinished` of its context.
 */
export function writeTestConfig(config: object, onFinished: typeof onTestFinished = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
  onFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const file = join(folder, 'gateway.config.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}
