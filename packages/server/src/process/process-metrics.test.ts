import { expect, test } from 'vitest';

import { createProcessMetrics, toExposition } from './process-metrics.ts';

test('a scrape right after another tells no lag of the event loop in place of impossible ones', async () => {
  const metrics = createProcessMetrics({ version: '1.2.3' });
  await metrics.begin();
  for (let time = 0; time < 3; time += 1) {
    const figures = await metrics.read();
    const { body } = await toExposition([figures, figures]);
    const samples = String(body)
      .split('\n')
      .filter((line) => line.startsWith('nodejs_eventloop_lag'))
      .map((line): [string, number] => [line.slice(0, line.indexOf(' ')), Number(line.split(' ').at(-1))]);
    // An hour is more than any event loop can lag in this test.
    expect(samples.filter(([, seconds]) => !(seconds < 3600))).toEqual([]);
  }
});
