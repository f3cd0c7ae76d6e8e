import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { RE2JS } from 're2js';
import { expect, test } from 'vitest';

import { cpuMs } from '../../../../../test/support/async/cpu-ms.ts';
import { BUILTIN_FILTER_SLUGS } from '../../wire/guardrails.ts';
import { BUILT_IN_FILTERS } from './compile-filters.ts';
import { normaliseText } from './normalise-text.ts';

type Slug = (typeof BUILTIN_FILTER_SLUGS)[number];

/** Least precision and recall on the labelled set; what is missed is in the set too. */
const FLOORS: Readonly<Record<Slug, readonly [precision: number, recall: number]>> = {
  email: [0.97, 0.93],
  phone: [0.95, 0.93],
  ssn: [0.95, 0.95],
  'credit-card': [0.97, 0.92],
  'ip-address': [0.97, 0.95],
  iban: [0.97, 0.95],
  secrets: [0.97, 0.93],
  'regex-prompt-injection': [0.95, 0.9],
};

interface Example {
  readonly text: string;
  readonly spans: readonly string[];
}

/** Reads texts in which what is to be found stands between ⟦ and ⟧. `{+}` keeps scanners from taking examples for secrets. */
function readLabelled(slug: Slug): Example[] {
  const path = fileURLToPath(new URL(`../../../../../test/labelled/${slug}.json`, import.meta.url));
  return (JSON.parse(readFileSync(path, 'utf8')) as string[]).map((marked) => {
    const whole = marked.replaceAll('{+}', '');
    return {
      text: whole.replaceAll(/[⟦⟧]/g, ''),
      spans: [...whole.matchAll(/⟦([^⟧]*)⟧/g)].map((match) => match[1] ?? ''),
    };
  });
}

function found(slug: Slug, original: string): string[] {
  const { text, originalStart, originalEnd } = normaliseText(original);
  return BUILT_IN_FILTERS[slug]
    .findAll(text)
    .map(({ start, end }) => original.slice(originalStart(start), originalEnd(end)));
}

interface Measure {
  readonly texts: number;
  /** Number of marked matches in the samples. */
  readonly marked: number;
  readonly precision: number;
  readonly recall: number;
  /** Wrong matches, after a plus, and missed ones, after a minus. */
  readonly mistakes: readonly string[];
}

function measure(slug: Slug): Measure {
  const examples = readLabelled(slug);
  let right = 0;
  let wrong = 0;
  const mistakes: string[] = [];
  for (const { text, spans } of examples) {
    const left = [...spans];
    for (const span of found(slug, text)) {
      const index = left.indexOf(span);
      if (index === -1) {
        wrong += 1;
        mistakes.push(`+ ${span} in ${text}`);
      } else {
        right += 1;
        left.splice(index, 1);
      }
    }
    mistakes.push(...left.map((span) => `- ${span} in ${text}`));
  }
  const marked = examples.flatMap(({ spans }) => spans).length;
  return { texts: examples.length, marked, precision: right / (right + wrong), recall: right / marked, mistakes };
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

test.each(BUILTIN_FILTER_SLUGS)('%s finds what it should and little else, as its documentation says', (slug) => {
  const { texts, marked, precision, recall, mistakes } = measure(slug);
  process.stdout.write(
    `${slug}: precision ${percent(precision)}, recall ${percent(recall)} (${marked} in ${texts} texts)\n`,
  );
  const [leastPrecision, leastRecall] = FLOORS[slug];
  expect(precision, `precision; mistakes: ${mistakes.join('; ')}`).toBeGreaterThanOrEqual(leastPrecision);
  expect(recall, `recall; mistakes: ${mistakes.join('; ')}`).toBeGreaterThanOrEqual(leastRecall);
  const docs = readFileSync(new URL('../../../../../docs/guardrails.md', import.meta.url), 'utf8');
  expect(docs).toContain(`| \`${slug}\` | ${texts} | ${marked} | ${percent(precision)} | ${percent(recall)} |`);
});

test.each(BUILTIN_FILTER_SLUGS)('%s is triggered wherever it finds something, so that nothing goes unseen', (slug) => {
  const { trigger, beginning, findAll, endAt } = BUILT_IN_FILTERS[slug];
  const anywhere = RE2JS.compile(trigger ?? '', RE2JS.CASE_INSENSITIVE);
  const there = RE2JS.compile(beginning ?? trigger ?? '', RE2JS.CASE_INSENSITIVE);
  for (const { text: original } of readLabelled(slug)) {
    const { text } = normaliseText(original);
    for (const { start, end } of findAll(text)) {
      expect(anywhere.test(text), text).toBe(true);
      if (endAt === undefined) continue;
      expect(endAt(text, start), text).toBe(end);
      expect(there.matcher(text.slice(start)).lookingAt(), text.slice(start)).toBe(true);
    }
  }
});

test.each(BUILTIN_FILTER_SLUGS)('%s takes time in proportion to the text, whatever is in it', (slug) => {
  const { findAll } = BUILT_IN_FILTERS[slug];
  for (const piece of [
    'a',
    '1',
    '1 ',
    'a.',
    'a@',
    '4111 ',
    'DE89 ',
    'sk-a',
    'a:',
    '1.',
    '+1 ',
    'ignore ',
    'a ',
    'ignroe ',
    '0a',
    '-',
    'you are ',
  ]) {
    const startedAt = cpuMs();
    findAll(piece.repeat(100_000 / piece.length));
    // Nothing quadratic ends within this; what is linear needs a twentieth of it.
    expect(cpuMs() - startedAt, `${slug} over ${piece}`).toBeLessThan(2000);
  }
});
