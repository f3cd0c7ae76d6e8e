import { expect, test } from 'vitest';

import { joinDetails } from './join-details.ts';

const piece = (text: string, index = 0) => ({ type: 'reasoning.text', index, text });

test('joins the pieces of one detail, whatever the chunks, with its signature', () => {
  const pieces = [piece('I th'), piece('ink'), { type: 'reasoning.text', index: 0, signature: 's' }, piece('so', 1)];
  const whole = [{ type: 'reasoning.text', index: 0, text: 'I think', signature: 's' }, piece('so', 1)];
  expect(joinDetails([], pieces)).toEqual(whole);
  expect(pieces.reduce<readonly unknown[]>((all, each) => joinDetails(all, [each]), [])).toEqual(whole);
  expect(joinDetails(joinDetails([], pieces.slice(0, 2)), pieces.slice(2))).toEqual(whole);
});

test('leaves alone what has no index, or is of another type', () => {
  const encrypted = { type: 'reasoning.encrypted', data: 'x' };
  expect(joinDetails([encrypted], [encrypted, null, piece('a')])).toEqual([encrypted, encrypted, null, piece('a')]);
});
