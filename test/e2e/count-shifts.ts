import type { Page } from 'playwright-core';

import { untilDrawn } from './examine.ts';

/** Adds up how far the page has moved under its reader, who has touched nothing. */
export const COUNT_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      const places = entry.sources.map(({ node }) => node?.nodeType === 1 ? node.outerHTML.slice(0, 120) : node?.data);
      window.shifts.push({ value: entry.value, places });
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

interface Shift {
  readonly value: number;
  readonly places: readonly string[];
}

/** How far a page with `COUNT_SHIFTS` has moved so far, and what of it. */
export async function readShifts(page: Page): Promise<{ readonly moved: number; readonly told: string }> {
  const shifts = await page.evaluate<Shift[]>('window.shifts');
  return { moved: shifts.reduce((sum, { value }) => sum + value, 0), told: JSON.stringify(shifts, null, 1) };
}

/** Resolves once nothing has been drawn for 40 frames: screens that follow the gateway never stop asking it. */
const UNTIL_STILL = `new Promise((done) => {
  let left = 40;
  new MutationObserver(() => { left = 40; }).observe(document.querySelector('main'), { childList: true, subtree: true });
  const look = () => (left-- > 0 ? requestAnimationFrame(look) : done());
  look();
})`;

export async function untilSettled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate(UNTIL_STILL);
  await untilDrawn(page);
}
