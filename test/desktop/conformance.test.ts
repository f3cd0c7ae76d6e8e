import { afterAll, describe, inject, test } from 'vitest';

import { stopDesktop } from '../support/desktop-conformance.ts';
import type {} from './prepare.ts';

// What holds for clients of every other host holds in a real Electron: the same files, over its own network stack.
const stage = inject('desktop');
if ('skipped' in stage) {
  describe.skip('clients of the desktop app', () => {
    test(`are held against the packaged app, skipped: ${stage.skipped}`, () => undefined);
  });
} else {
  process.env['CLIENT_HOST'] = 'desktop';
  afterAll(stopDesktop);
  await import('../conformance/openai.test.ts');
  await import('../conformance/openrouter-sdk.test.ts');
  await import('../conformance/ai-sdk.test.ts');
  await import('../conformance/guardrails.test.ts');
}
