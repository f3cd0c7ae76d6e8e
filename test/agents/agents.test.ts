import { describe, expect, test } from 'vitest';

import type { Fault } from './faults.ts';
import { MENDED } from './place.ts';
import { PROGRAMS, VARIANTS } from './programs.ts';
import { findObstacle } from './run-agent.ts';
import { DONE } from './scripted-coder.ts';
import { LIMIT_MS, startJob } from './start-job.ts';
import { type Wire, WIRES } from './tell-turn.ts';

/** Each program meets each refusal. */
const REFUSED: Readonly<Record<Wire, readonly [fault: Fault, status: number]>> = {
  openai: ['refuses', 503],
  anthropic: ['overloads', 529],
  google: ['limits', 429],
  'openai-responses': ['refuses', 503],
};

const MID_FAULTS = [
  ['breaks', 'breaks off'],
  ['errs', 'ends with an error'],
] as const;

describe.each(PROGRAMS)('$name', (program) => {
  const obstacle = findObstacle(program);
  const reason = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

  describe.skipIf(obstacle !== undefined).each(WIRES)(`over the wire %s${reason}`, (wire) => {
    test('reads, edits and runs a file, and says that it is done', { timeout: LIMIT_MS }, async () => {
      const { coder, finish } = await startJob(program, { wire });
      const { code, output, mended } = await finish();
      expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
      expect(output).toContain(DONE);
      expect(coder.requests.at(-1)?.body).toMatch(/(\\n|\b)42\b/);
    });

    const [fault, status] = REFUSED[wire];
    test(`does not notice that the first provider refuses with ${status}`, { timeout: LIMIT_MS }, async () => {
      const { coder, finish } = await startJob(program, { fault, wire });
      const { code, output, mended } = await finish();
      expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
      expect(new Set(coder.requests.map((request) => request.fault))).toEqual(new Set([fault, 'none']));
    });

    for (const [midFault, words] of MID_FAULTS) {
      test.skipIf(program.stopsAtBreak)(`finishes though a response ${words}`, { timeout: LIMIT_MS }, async () => {
        const { finish } = await startJob(program, { fault: midFault, wire });
        const { code, output, mended } = await finish();
        expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
        expect(output).toContain(DONE);
      });
    }

    test.runIf(program.stopsAtBreak)('says that a response has broken', { timeout: LIMIT_MS }, async () => {
      const { finish } = await startJob(program, { fault: 'breaks', wire });
      const { code, output } = await finish();
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('the response was cut short') });
    });

    test('ends the call of the provider when it is interrupted', { timeout: LIMIT_MS }, async () => {
      const { coder, run, finish, records } = await startJob(program, { fault: 'halts', wire });
      const { closed } = await Promise.race([
        coder.halted,
        run.ended.then(({ output }) => Promise.reject(new Error(output))),
      ]);
      run.interrupt();
      expect(await closed).toBe(false);
      await finish();
      await expect.poll(async () => (await records()).map(({ cancelled }) => cancelled)).toContain(true);
    });
  });
});

describe.each(VARIANTS)('$name', (program) => {
  const obstacle = findObstacle(program);
  const reason = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

  describe.skipIf(obstacle !== undefined).each(WIRES)(`over the wire %s${reason}`, (wire) => {
    test('reads, edits and runs a file, and says that it is done', { timeout: LIMIT_MS }, async () => {
      const { coder, finish } = await startJob(program, { wire });
      const { code, output, mended } = await finish();
      expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED });
      expect(output).toContain(DONE);
      expect(coder.requests.at(-1)?.body).toMatch(/(\\n|\b)42\b/);
    });
  });
});
