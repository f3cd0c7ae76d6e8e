import { expect, test } from 'vitest';

import { toBatch } from './to-batch.ts';

const jobAt = (minute: number, status = 'completed') => ({
  generation_id: `gen-${minute}`,
  status,
  ended_at: status === 'completed' ? new Date(minute * 60_000).toISOString() : null,
});

test('reads the prompts of fifty ended jobs at once, and a new job changes the latest batch alone', () => {
  const jobs = Array.from({ length: 70 }, (_, at) => jobAt(at)).toReversed();
  const [oldest, newest] = [jobs.at(-1)!, jobs[0]!];
  expect(toBatch(oldest, jobs)).toHaveLength(50);
  expect(toBatch(newest, jobs)).toEqual(
    jobs
      .slice(0, 20)
      .map(({ generation_id: id }) => id)
      .toReversed(),
  );
  const later = [jobAt(70, 'in_progress'), jobAt(71), ...jobs];
  expect(toBatch(oldest, later)).toEqual(toBatch(oldest, jobs));
  expect(toBatch(newest, later)).toContain('gen-71');
  expect(toBatch(newest, later)).not.toContain('gen-70');
});
