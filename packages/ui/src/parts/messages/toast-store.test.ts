import { expect, test, vi } from 'vitest';

import { setSession } from '../../api/session.ts';
import { dismissToast, getToasts, holdDeletion, showToast } from './toast-store.ts';

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

test('nothing that one user has begun is finished or taken back by the next', () => {
  vi.stubGlobal('removeEventListener', () => undefined);
  const done: string[] = [];
  const run = async (): Promise<void> => void done.push('deleted');
  setSession({ type: 'host', name: 'one' });
  showToast({ tone: 'neutral', title: 'plain' });
  showToast({ tone: 'good', title: 'changed', action: { label: 'Undo', run: () => done.push('undone') } });
  holdDeletion({ id: 'rail', title: 'held', detail: '', run });
  setSession({ type: 'host', name: 'other' });
  expect(getToasts().map(({ title }) => title)).not.toContain('held');
  expect(getToasts().map(({ title }) => title)).not.toContain('changed');
  for (const { id } of getToasts()) dismissToast(id);
  expect(done).toEqual([]);
  // The other may delete the same, by themselves.
  holdDeletion({ id: 'rail', title: 'held again', detail: '', run });
  for (const { id } of getToasts()) dismissToast(id);
  expect(done).toEqual(['deleted']);
});
