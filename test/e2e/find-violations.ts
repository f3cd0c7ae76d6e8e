import axe, { type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** Reports violations only; the list of passed rules is long. */
const ALONE = { resultTypes: ['violations'] } satisfies RunOptions;

/** Rules for all users: WCAG A and AA up to 2.2, and best practices. */
const OF_ALL: RunOptions = {
  ...ALONE,
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  // People who speak to their computer say the words that they see.
  rules: { 'label-content-name-mismatch': { enabled: true } },
};

const OF_COLOURS: RunOptions = {
  ...ALONE,
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/**
 * Violations that axe finds in the page, a line each: the rule, the element and the remedy. Checks only colours when
 * all other rules were checked in the other theme.
 */
export async function findViolations(
  page: Page,
  { ofColours }: { readonly ofColours: boolean } = { ofColours: false },
): Promise<string[]> {
  // It is half a megabyte of script, and once in a document is enough.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const options = JSON.stringify(ofColours ? OF_COLOURS : OF_ALL);
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
