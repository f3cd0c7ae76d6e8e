import { describe, test } from 'vitest';

import { takeFirstMinute } from '../e2e/take-first-minute.ts';
import { freePort } from '../support/test-run/free-port.ts';
import { launchApp, skipped } from './desktop-app.ts';

describe.skipIf(skipped !== undefined)(
  `the first minute of the desktop app${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test.each([
      ['a provider', false],
      ['the demo', true],
    ])('leads from its window and %s to a response and a tool', async (name, demo) => {
      const port = await freePort();
      const beganMs = performance.now();
      const { app, page, until } = await launchApp({ port, settings: { demo } });
      await until(({ state }) => state.phase === 'listening');
      await takeFirstMinute({
        way: `the desktop app, ${name}`,
        beganMs,
        link: undefined,
        page,
        readClipboard: () => app.evaluate(({ clipboard }) => clipboard.readText()),
      });
    });
  },
);
