import { expect, test } from 'vitest';

import type { GenerationStatus } from '../../wire/generations/generation-status.ts';
import { addToHistogram, createHistogram } from './generation-filter.ts';

const unread = (): never => {
  throw new Error('no condition asks for the record');
};

const FACTS = {
  createdAtMs: 5,
  model: 'm',
  providerName: null,
  sessionId: null,
  principalId: 'p',
  costNanoUsd: 1,
  isCostKnown: true,
  promptTokens: null,
  completionTokens: null,
  firstTokenMs: null,
  durationMs: null,
  attempts: 1,
};

test('counts each call of a span under its own status alone', () => {
  const query = { filter: {}, startMs: 0, bucketMs: 1000, buckets: 1 };
  const histogram = createHistogram(query);
  const ended: GenerationStatus[] = [
    'ok',
    'failed',
    'failed',
    'cancelled',
    'interrupted',
    'interrupted',
    'interrupted',
  ];
  for (const status of ended) {
    addToHistogram(histogram, { ...FACTS, status }, query, unread);
  }
  expect(histogram).toEqual([{ startMs: 0, requests: 7, failed: 2, cancelled: 1, interrupted: 3, costNanoUsd: 7 }]);
});
