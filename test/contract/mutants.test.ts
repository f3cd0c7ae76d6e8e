import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { AREAS, listSources } from '../mutate/areas.ts';
import { checkEquivalents, EQUIVALENT } from '../mutate/equivalent.ts';
import { applyMutant, findMutants, toDiff } from '../mutate/find-mutants.ts';
import { takeSample } from '../mutate/take-sample.ts';
import { root } from '../support/snippets/read-snippets.ts';

/** Every mutant as `line kind: what stands there → what is written instead`. */
const listMutants = (source: string): string[] =>
  findMutants('part.ts', source).map(
    ({ line, kind, start, end, replacement }) => `${line} ${kind}: ${source.slice(start, end)} → ${replacement}`,
  );

test('operators become others, and a comparison moves its bound or turns round', () => {
  expect(listMutants('export const isFit = (a: number, b?: number) => a === 1 && a < 2 - (b ?? 3);')).toEqual([
    '1 equality: === → !==',
    '1 logic: && → ||',
    '1 comparison: < → <=',
    '1 comparison: < → >=',
    '1 arithmetic: - → +',
    '1 logic: ?? → &&',
  ]);
});

test('conditions are decided, statements and spread members left out, and nothing is returned', () => {
  const source = `
export function add(list: string[], isOpen: boolean, note?: () => void) {
  if (isOpen) list.push('a');
  note?.();
  const most = { ...LIMITS, isOpen: true };
  return isOpen ? [...list] : list.some(Boolean);
}`;
  expect(listMutants(source)).toEqual([
    '3 condition: isOpen → false',
    '3 condition: isOpen → true',
    "3 statement: list.push('a'); → ;",
    '4 optional call: note?.() → undefined',
    '4 statement: note?.(); → ;',
    '5 spread: ...LIMITS, → ',
    '5 boolean: true → false',
    '6 condition: isOpen → false',
    '6 condition: isOpen → true',
    '6 return: isOpen ? [...list] : list.some(Boolean) → undefined',
    '6 spread: ...list → ',
    '6 quantifier: some → every',
  ]);
});

test('types, imports, log calls, errors, texts and what is constant are left alone', () => {
  const source = `
import { type Part, open } from './a.ts' with { type: 'json' };
type Flag = true | false;
interface Options { readonly isOpen: true }
const FLAGS = [true, false] as const;
export const check = (logger: Logger, name: string, size: number): void => {
  logger.warn('it is ' + name, { isLarge: size > 2 });
  throw new RangeError(size > 2 ? 'large' : 'small');
};
export const greet = (name: string) => 'Hello, ' + name + '!';
/** Returns true && false. */
export const nothing = (): undefined => { return undefined; };`;
  expect(listMutants(source)).toEqual([]);
});

test('a false that is returned becomes true alone, as a caller would take undefined for it', () => {
  expect(listMutants('export function isFit() { return false; }')).toEqual(['1 boolean: false → true']);
});

test('an operator in a comment beside it is not the one that changes', () => {
  const source = 'export const sum = (a: number, b: number) => a /* + */ + b;';
  const [mutant] = findMutants('part.ts', source);
  expect(applyMutant(source, mutant!)).toBe('export const sum = (a: number, b: number) => a /* + */ - b;');
});

test('a mutant is applied where it was found, and shown with its line before and after', () => {
  const source = 'const a = 1;\nexport const isFit = a === 1;\n';
  const [mutant] = findMutants('part.ts', source);
  expect(applyMutant(source, mutant!)).toBe('const a = 1;\nexport const isFit = a !== 1;\n');
  expect(toDiff(source, mutant!)).toBe('- export const isFit = a === 1;\n+ export const isFit = a !== 1;');
});

test('a source that cannot be parsed is refused by its name', () => {
  expect(() => findMutants('part.ts', 'const = 1')).toThrow(/^part\.ts: /);
});

test('a seed takes the same sample again, each item once, and another seed takes another', () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  const sample = takeSample(items, 10, 7);
  expect(takeSample(items, 10, 7)).toEqual(sample);
  expect(takeSample(items, 10, 8)).not.toEqual(sample);
  expect(new Set(sample).size).toBe(10);
  expect(takeSample(items, 200, 7).toSorted((one, other) => one - other)).toEqual(items);
});

test.each(AREAS)('$name has files with mutants, and tests', (area) => {
  const files = listSources(area, root);
  expect(files.flatMap((file) => findMutants(file, readFileSync(`${root}/${file}`, 'utf8')))).not.toEqual([]);
  expect(files.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
  for (const tests of [...area.tests, ...(area.across ?? [])]) {
    expect(globSync([`${tests}*`, `${tests}/**/*.test.ts`], { cwd: root }), tests).not.toEqual([]);
  }
});

test('what is listed as equivalent can still be written, each with its reason', () => {
  checkEquivalents((file) => readFileSync(`${root}/${file}`, 'utf8'));
  for (const { reason } of EQUIVALENT) expect(reason.length).toBeGreaterThan(20);
});
