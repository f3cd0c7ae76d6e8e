import { expect, test } from 'vitest';

import { dismissToast, getToasts, showToast } from './toast-store.ts';

test('a message tells that it has gone, once, whether it was dismissed or made room for others', () => {
  const gone: string[] = [];
  const show = (title: string): void => showToast({ tone: 'neutral', title, onGone: () => gone.push(title) });
  for (const title of ['first', 'second', 'third', 'fourth', 'fifth']) show(title);
  expect(gone).toEqual(['first']);
  const second = getToasts().find(({ title }) => title === 'second');
  dismissToast(second?.id ?? 0);
  dismissToast(second?.id ?? 0);
  expect(gone).toEqual(['first', 'second']);
  expect(getToasts().map(({ title }) => title)).toEqual(['third', 'fourth', 'fifth']);
});
