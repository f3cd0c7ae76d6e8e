import { afterAll, describe } from 'vitest';

import { stopDesktop } from '../support/conformance/desktop-conformance.ts';
import { getStage } from './get-stage.ts';

const stage = await getStage();
const isSkipped = 'skipped' in stage;
process.env['CLIENT_HOST'] = 'desktop';

// The tests for clients of every other host also run in a real Electron: the same files, over its own network stack.
describe.skipIf(isSkipped)(`the packaged app${isSkipped ? `, skipped: ${stage.skipped}` : ''}`, async () => {
  afterAll(stopDesktop);
  await import('../conformance/sdk/openai.test.ts');
  await import('../conformance/sdk/openrouter-sdk.test.ts');
  await import('../conformance/sdk/ai-sdk.test.ts');
  await import('../conformance/guardrails.test.ts');
});
