import { describe, test } from 'vitest';

import { runCommandLine } from '../support/test-run/run-command-line.ts';
import { skipped } from './launch-ui.ts';
import { findPrintedLink, openInBrowser } from './printed-link.ts';
import { takeFirstMinute } from './take-first-minute.ts';
import { WAYS_IN } from './ways-in.ts';

// The packed command and the desktop app take the same minute in test/packed and test/desktop.
describe.skipIf(skipped !== undefined)(
  `the first minute${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test.each(Object.entries(WAYS_IN))(
      'leads after %s from the printed link to a response and a tool',
      async (name, commandLine) => {
        const beganMs = performance.now();
        const command = runCommandLine(commandLine);
        const link = await command.printed(findPrintedLink);
        const printedMs = performance.now();
        const page = await openInBrowser('about:blank');
        // The start of the browser is none of the gateway's time.
        const shiftMs = performance.now() - printedMs;
        await takeFirstMinute({
          way: `${name}: ${commandLine.replaceAll(/\S+\/(?=packages)/g, '')}`,
          beganMs: beganMs + shiftMs,
          link,
          page,
        });
      },
    );
  },
);
