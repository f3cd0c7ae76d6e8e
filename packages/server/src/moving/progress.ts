import process from 'node:process';

import type { OnProgress } from './copy-generations.ts';

const WIDTH = 30;
const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;
/** Before that, how long it takes is a guess. */
const GUESS_AFTER_MS = 2000;

const counts = new Intl.NumberFormat('en');

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

/** Shows how far something is and how long it will take: a bar on a terminal, elsewhere a line now and then. */
export function createProgress(what: string, { isTerminal, write, now }: ProgressScreen = standardError): Progress {
  const beganAt = now();
  let shownAt = beganAt;
  let isDrawn = false;
  const describe = (done: number, total: number): string => {
    const tookMs = now() - beganAt;
    const leftSeconds = Math.ceil(((tookMs / done) * (total - done)) / 1000);
    const left = tookMs > GUESS_AFTER_MS && done > 0 && done < total ? `, ${toDuration(leftSeconds)} left` : '';
    return `${counts.format(done)} of ${counts.format(total)} ${what}${left}`;
  };
  return {
    show(done, total) {
      const isDue = now() - shownAt >= (isTerminal ? DRAW_EVERY_MS : LINE_EVERY_MS);
      if (!isTerminal) {
        if (!isDue) return;
        write(`${describe(done, total)}\n`);
      } else {
        if (isDrawn && !isDue && done < total) return;
        const filled = total === 0 ? WIDTH : Math.floor((done / total) * WIDTH);
        // The line before may have been longer.
        write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${describe(done, total)}\u001B[K`);
        isDrawn = true;
      }
      shownAt = now();
    },
    end() {
      if (isDrawn) write('\n');
      isDrawn = false;
    },
  };
}

const toDuration = (seconds: number): string => (seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`);
