import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { BROKEN, MENDED, PROMPT } from './place.ts';
import { PROGRAMS } from './programs.ts';
import { findObstacle } from './run-agent.ts';
import { DONE } from './scripted-coder.ts';
import { LIMIT_MS, startJob } from './start-job.ts';
import { WIRES } from './tell-turn.ts';

/** A number, because Qwen Code takes what follows an @ of its prompt for a file. */
const NUMBER = '4111 1111 1111 1111';
const REMARK = `// Ask ${NUMBER}\n`;

describe.each(PROGRAMS)('$name', (program) => {
  const obstacle = findObstacle(program);
  const reason = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

  describe.skipIf(obstacle !== undefined)(`under a guardrail${reason}`, () => {
    test.for(WIRES)(
      'finishes while what it reads is redacted, over the wire %s',
      { timeout: LIMIT_MS },
      async (wire) => {
        const { coder, finish } = await startJob(program, {
          wire,
          title: 'redacts',
          prompt: `${PROMPT} Its author is ${NUMBER}.`,
          guardrail: { content_filter_builtins: [{ slug: 'credit-card', action: 'redact' }] },
          fill: (folder) => writeFileSync(join(folder, 'sum.mjs'), BROKEN + REMARK),
        });
        const { code, output, mended } = await finish();
        expect({ code, mended }, output).toEqual({ code: 0, mended: MENDED + REMARK });
        expect(output).toContain(DONE);
        const bodies = coder.requests.map(({ body }) => body).join('\n');
        const found = [NUMBER, 'Its author is [CREDIT_CARD]', '// Ask [CREDIT_CARD]'].map((words) =>
          bodies.includes(words),
        );
        expect(found).toEqual([false, true, true]);
      },
    );
  });

  describe.skipIf(obstacle !== undefined)(`without money${reason}`, () => {
    test('says so in words, and does not ask for long', { timeout: LIMIT_MS }, async () => {
      const { asked, coder, finish } = await startJob(program, { title: 'budget', keyFields: { limit: 0.000_001 } });
      const { output } = await finish();
      expect(output).toMatch(/limit/i);
      expect(coder.requests).toEqual([]);
      expect(asked.filter(({ status }) => status === 402).length).toBeLessThanOrEqual(6);
    });
  });
});
