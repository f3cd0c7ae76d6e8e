import process from 'node:process';

import type { OnProgress } from './copy-generations.ts';

const WIDTH = 30;
const LINE_EVERY_MS = 5000;

/** Where progress is shown. */
export interface ProgressScreen {
  /** Whether a line can be drawn over. */
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
}

export interface Progress {
  readonly show: OnProgress;
  /** Ends the line of a terminal. */
  end(): void;
}

const standardError: ProgressScreen = {
  isTerminal: process.stderr.isTTY,
  write: (text) => void process.stderr.write(text),
  now: () => performance.now(),
};

/** Shows how far something is: a bar on a terminal, elsewhere a line now and then. */
export function createProgress(what: string, { isTerminal, write, now }: ProgressScreen = standardError): Progress {
  let shownAt = now();
  let isDrawn = false;
  return {
    show(done, total) {
      if (isTerminal) {
        const filled = total === 0 ? WIDTH : Math.round((done / total) * WIDTH);
        write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done} of ${total} ${what}`);
        isDrawn = true;
      } else if (now() - shownAt >= LINE_EVERY_MS) {
        write(`${done} of ${total} ${what}\n`);
        shownAt = now();
      }
    },
    end() {
      if (isDrawn) write('\n');
      isDrawn = false;
    },
  };
}
