import process from 'node:process';

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type Role = Parameters<Page['getByRole']>[0];

/** The label of the field that has the focus. */
export const FOCUSED =
  "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.labels?.[0]?.textContent ?? null";

/** Types where the focus is, once it is in the field of this label. */
export async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await expect.poll(() => page.evaluate(FOCUSED)).toBe(label);
  await page.keyboard.type(text);
}

/** What a part of the work took. */
export interface Effort {
  readonly clicks: number;
  readonly seconds: number;
}

/** Works as a person does: by clicks, which are counted, and by keys, which are not. All is noted with its time. */
export interface Hand {
  /** Opens an address that somebody has printed: one click, on it. */
  follow(address: string): Promise<void>;
  click(role: Role, name: string | RegExp): Promise<void>;
  type(label: string, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** Notes what was seen, or was done elsewhere. */
  note(what: string): void;
  /** All clicks. */
  clicks(): number;
  /** What it took since the last part ended; that part ends now. */
  endPart(name: string): Effort;
  /** What was done, a line each. */
  transcript(): string;
}

/** The link has worked once, but who reads the transcript need not know it. */
const hideToken = (address: string): string => address.replace(/(token=|#)[\w-]{20,}$/, '$1…');

/** `beganMs` is when the clock of the transcript began, by `performance.now()`. */
export function createHand(page: Page, beganMs = performance.now()): Hand {
  const lines: string[] = [];
  let clicks = 0;
  let part = { clicks: 0, ms: beganMs };
  const note = (what: string): void => {
    lines.push(`${((performance.now() - beganMs) / 1000).toFixed(1).padStart(6)} s  ${what}`);
  };
  return {
    note,
    clicks: () => clicks,
    async follow(address) {
      clicks += 1;
      note(`click ${clicks}: the link ${hideToken(address)}`);
      await page.goto(address);
    },
    async click(role, name) {
      clicks += 1;
      const target = page.getByRole(role, { name, exact: typeof name === 'string' });
      const shown = (await target.getAttribute('aria-label')) ?? (await target.innerText());
      await target.click();
      note(`click ${clicks}: ${role} “${shown.replaceAll(/\s+/g, ' ').trim()}”`);
    },
    async type(label, text) {
      await typeInto(page, label, text);
      note(`types into “${label}”: ${label === 'Key' ? '…' : text}`);
    },
    async press(key) {
      await page.keyboard.press(key);
      note(`presses ${key}`);
    },
    endPart(name) {
      const now = performance.now();
      const effort = { clicks: clicks - part.clicks, seconds: (now - part.ms) / 1000 };
      part = { clicks, ms: now };
      note(`→ ${name}: ${effort.clicks} ${effort.clicks === 1 ? 'click' : 'clicks'}, ${effort.seconds.toFixed(1)} s`);
      return effort;
    },
    transcript: () => lines.join('\n'),
  };
}

/** Prints a transcript with the results of a test. */
export const printTranscript = (title: string, hand: Hand): void =>
  void process.stdout.write(`\n${title}\n${hand.transcript()}\n`);
