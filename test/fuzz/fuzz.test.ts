import { appendFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type FuzzTarget, tryTarget } from './fuzz-target.ts';
import { callBodies } from './targets/call-bodies.ts';
import { configFiles } from './targets/config-files.ts';
import { documentedRequests } from './targets/documented-requests.ts';
import { eventStreams } from './targets/event-streams.ts';
import { providerResponses } from './targets/provider-responses.ts';
import { rawHttp } from './targets/raw-http.ts';
import { storedFiles } from './targets/stored-files.ts';

const TARGETS: readonly FuzzTarget[] = [
  eventStreams,
  providerResponses,
  callBodies,
  documentedRequests,
  configFiles,
  storedFiles,
  rawHttp,
];

/** What `npm run fuzz` asks for. */
const { FUZZ_SECONDS, FUZZ_SEED, FUZZ_TARGETS, FUZZ_REPORT } = process.env;
const seconds = FUZZ_SECONDS === undefined ? undefined : Number(FUZZ_SECONDS);
const seed = FUZZ_SEED === undefined ? 20_260_301 : Number(FUZZ_SEED);
const wanted = TARGETS.filter(({ name }) => FUZZ_TARGETS === undefined || FUZZ_TARGETS.split(',').includes(name));

describe('Whatever comes from outside', () => {
  test.each(wanted.map((target) => [target.promise, target] as const))(
    '%s',
    async (_promise, target) => {
      const outcome = await tryTarget(target, { seconds, seed });
      if (FUZZ_REPORT !== undefined) appendFileSync(FUZZ_REPORT, `${JSON.stringify(outcome)}\n`);
      expect(outcome.finding).toBeNull();
      if (seconds === undefined) expect(outcome.runs).toBe(target.runs);
    },
    60_000 + (seconds ?? 0) * 1500,
  );
});

describe('A run of made-up input', () => {
  const breaking: FuzzTarget = {
    name: 'breaking',
    promise: 'No number is above 99',
    runs: 1000,
    prepare: async () =>
      fc.property(fc.nat(1000), (number) => {
        expect(number).toBeLessThan(100);
      }),
  };

  test('ends at the first input that breaks the promise, made as small as it can be, the same for the same seed', async () => {
    const first = await tryTarget(breaking, { seconds: undefined, seed: 7 });
    const again = await tryTarget(breaking, { seconds: undefined, seed: 7 });
    expect(first.finding?.input).toBe('[100]');
    expect(first.finding?.error).toContain('expected 100 to be less than 100');
    expect([again.finding?.input, again.runs]).toEqual([first.finding?.input, first.runs]);
  });

  test('ends with its time where nothing breaks', async () => {
    const holding = { ...breaking, prepare: async () => fc.property(fc.nat(), () => undefined) };
    const outcome = await tryTarget(holding, { seconds: 0.05, seed: 7 });
    expect(outcome.finding).toBeNull();
    expect(outcome.runs).toBeGreaterThan(0);
  });
});
