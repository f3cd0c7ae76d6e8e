import type { UiPage } from './launch-ui.ts';

/**
 * Looks at what is shown in dark, light and 320 pixels wide, and keeps a picture of each. Returns what is wrong with it,
 * a line each: findings of axe, what does not fit, and what has gone wrong in the page.
 */
export async function examine({ page, problems, check, screenshot }: UiPage, name: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(`${name}-dark`);
  const findings = await check();
  await page.emulateMedia({ colorScheme: 'light' });
  await screenshot(`${name}-light`);
  findings.push(...(await check({ ofColours: true })));
  await page.setViewportSize({ width: 320, height: 700 });
  await screenshot(`${name}-narrow`);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  await page.setViewportSize({ width: 1360, height: 850 });
  if (width > 320) findings.push(`${name} is ${width} pixels wide where there are 320`);
  return [...findings, ...problems.splice(0)];
}
