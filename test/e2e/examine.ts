import type { Page } from 'playwright-core';

import type { UiPage } from './launch-ui.ts';

/** The widest of what is to fit: the page, and the screen within it. Only tables and code may scroll sideways. */
export const WIDTH = `(() => {
  const main = document.querySelector('main');
  const beyond = main === null ? 0 : main.scrollWidth - main.clientWidth;
  return Math.max(document.documentElement.scrollWidth, innerWidth + beyond);
})()`;

/**
 * Looks at what is shown in dark, light and 320 pixels wide, and keeps a picture of each. Returns what is wrong with
 * it, a line each: findings of axe, what does not fit, and what has gone wrong in the page.
 */
export async function examine(opened: UiPage, name: string): Promise<string[]> {
  const { page, problems, check, screenshot } = opened;
  await setTheme(opened, 'dark');
  await screenshot(`${name}-dark`);
  const findings = await check();
  await setTheme(opened, 'light');
  await screenshot(`${name}-light`);
  findings.push(...(await check({ ofColours: true })));
  await page.setViewportSize({ width: 320, height: 700 });
  await untilDrawn(page);
  await screenshot(`${name}-narrow`);
  const width = await page.evaluate<number>(WIDTH);
  await page.setViewportSize({ width: 1360, height: 850 });
  if (width > 320) findings.push(`${name} is ${width} pixels wide where there are 320`);
  return [...findings, ...problems.splice(0)];
}

/** Sets the theme that the system reports. */
export async function setTheme({ page }: UiPage, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await untilDrawn(page);
}

/**
 * The page follows a change around it with its next frames, and may take a while from one colour to the other. What is
 * folded away stands still, so it is not waited for.
 */
async function untilDrawn(page: Page): Promise<void> {
  await page.evaluate(`
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
      .then(() => document.getAnimations().filter((animation) => animation instanceof CSSTransition))
      .then((transitions) => transitions.filter(({ effect }) => effect?.target?.checkVisibility() === true))
      .then((transitions) => Promise.allSettled(transitions.map(({ finished }) => finished)))
      .then(() => undefined)
  `);
}
