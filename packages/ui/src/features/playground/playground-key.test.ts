import { expect, test } from 'vitest';

import { choosePlaygroundLimit } from './playground-key.ts';

const modelOf = (id: string, price: string, output = 'text') => ({
  id,
  pricing: { prompt: price, completion: price, request: '0', image: '0' },
  architecture: {
    input_modalities: ['text'],
    output_modalities: [output],
    modality: null,
    instruct_type: null,
    tokenizer: 'Other',
  },
});
const PRICED = modelOf('a/priced', '0.000001');
const FREE = modelOf('a/free', '0');
const UNKNOWN = modelOf('a/unknown', '-1');

test.each([
  ['all prices are known', [PRICED, FREE], 1, []],
  ['some prices are known', [PRICED, UNKNOWN], 1, ['a/unknown']],
  ['no price is known', [UNKNOWN], null, ['a/unknown']],
  ['there is no model yet', [], 1, []],
  ['only what makes no text has no price', [PRICED, modelOf('a/film', '-1', 'video')], 1, []],
])('where %s the playground offers the limit that its models allow', (_, models, limitUsd, unpriced) => {
  expect(choosePlaygroundLimit(models)).toEqual({ limitUsd, unpriced });
});
