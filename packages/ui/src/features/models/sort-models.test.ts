import type { Model } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { type ModelRow, toFigures } from './model-figures.ts';
import { sortModels } from './sort-models.ts';

const figures = (requests: number) => ({ requests, usd: 0, uptime: 100, firstToken: null, speed: null });
const row = (name: string, prompt: string, requests?: number): ModelRow => ({
  model: { id: name, name, context_length: 0, pricing: { prompt, completion: prompt } } as Model,
  figures: requests === undefined ? undefined : figures(requests),
  providers: undefined,
});
const ROWS = [row('b', '-1'), row('A', '0.000002', 3), row('c', '0', 9)];
const idsOf = (rows: readonly ModelRow[]) => rows.map(({ model }) => model.id).join(' ');

test.each([
  [undefined, 'asc', 'b A c'],
  ['name', 'asc', 'A b c'],
  ['name', 'desc', 'c b A'],
  ['prompt', 'asc', 'c A b'],
  ['prompt', 'desc', 'A c b'],
  ['requests', 'desc', 'c A b'],
  ['requests', 'asc', 'A c b'],
] as const)('sorts by %s, %s, with what is not known last', (sort, order, ids) => {
  expect(idsOf(sortModels(ROWS, sort, order))).toBe(ids);
});

test('figures of a model tell how many of its requests did not fail', () => {
  const totals = {
    requests: 8,
    failed: 2,
    cancelled: 0,
    interrupted: 0,
    cost: 0.5,
    first_token_p50: 400,
    first_token_p95: 900,
    tokens_per_second_p50: 80,
    duration_p50: 900,
    duration_p95: 2000,
    duration_p99: 3000,
    retries: 0,
    cached_tokens: 0,
    prompt_tokens: 0,
    cache_saved: 0,
  };
  const found = toFigures({ split: [{ value: 'a/b', name: null, totals, data: [] }] });
  expect(found.get('a/b')).toEqual({ requests: 8, usd: 0.5, uptime: 75, firstToken: 400, speed: 80 });
});
