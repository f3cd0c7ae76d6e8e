import { expect, test } from 'vitest';

import { toModelsLike } from './models-like.ts';

const likeOf = (id: string, ...ids: string[]): readonly string[] =>
  toModelsLike(
    id,
    ids.map((other) => ({ id: other })),
    3,
  ).map((model) => model.id);

test('puts a model of the same author and family first', () => {
  expect(likeOf('acme/chat-4.1', 'zen/words', 'acme/draw', 'zen/chat-4.1', 'acme/chat-5')).toEqual([
    'zen/chat-4.1',
    'acme/chat-5',
    'acme/draw',
  ]);
});

test('takes the same version of another family for no likeness', () => {
  expect(likeOf('acme/chat-4.1', 'zen/words-4.1')).toEqual([]);
});

test('suggests no more than it is asked for', () => {
  expect(likeOf('acme/chat', 'acme/a', 'acme/b', 'acme/c', 'acme/d')).toHaveLength(3);
});
