import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import type { Endpoint } from '../../../packages/core/src/catalog/catalog.ts';
import {
  createRandomSource,
  pickAtRandom,
  pickByKey,
  sharesOf,
} from '../../../packages/core/src/routing/order-endpoints.ts';
import { createPricedEndpoints } from '../../support/gateways/priced-endpoints.ts';

const TIMES = 100_000;
const SLUGS = ['a', 'b', 'c'];

const endpoints = createPricedEndpoints({ a: 1, b: 2, c: 3 });
const withoutSecond = endpoints.filter(({ tag }) => tag !== 'b');

const toPercent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** A line of the table: the share of each endpoint, blank where it takes no part. */
const toLine = (name: string, shares: readonly (number | undefined)[]): string =>
  `| ${[name, ...shares.map((share) => (share === undefined ? '' : toPercent(share)))].join(' | ')} |`.replaceAll(
    '|  |',
    '| |',
  );

function measure(name: string, pick: (round: number) => Endpoint): string {
  const counts = new Map<string, number>();
  for (let round = 0; round < TIMES; round += 1) {
    const { tag } = pick(round);
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const shares = SLUGS.map((slug) => counts.get(slug)).map((count) => count && count / TIMES);
  return toLine(name, shares);
}

test('docs/routing.md shows the shares that are measured', () => {
  const random = createRandomSource({ randomBytes: () => Uint8Array.of(0, 0, 0, 1) });
  const lines = [
    toLine('by price', sharesOf(endpoints)),
    measure('drawn', () => pickAtRandom(endpoints, random)),
    measure('by session', (round) => pickByKey(endpoints, `session ${round}`)),
    measure('by session, the second endpoint out', (round) => pickByKey(withoutSecond, `session ${round}`)),
  ];
  const page = readFileSync(new URL('../../../docs/routing.md', import.meta.url), 'utf8');
  expect(page).toContain(lines.join('\n'));
});

test('of sessions at other endpoints none moves when one drops out, as docs/routing.md says', () => {
  let others = 0;
  let moved = 0;
  for (let round = 0; round < TIMES; round += 1) {
    const before = pickByKey(endpoints, `session ${round}`);
    if (before.tag === 'b') continue;
    others += 1;
    if (pickByKey(withoutSecond, `session ${round}`) !== before) moved += 1;
  }
  expect(moved).toBe(0);
  const page = readFileSync(new URL('../../../docs/routing.md', import.meta.url), 'utf8');
  expect(page).toContain(`Of the ${others.toLocaleString('en')} sessions`);
});
