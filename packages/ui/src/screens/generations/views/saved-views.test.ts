import { expect, test } from 'vitest';

import { findNameProblem, findView, putView, removeView, renameView, toView } from './saved-views.ts';

const failures = toView('Failures', { status: 'failed', range: '24h', open: 'gen-1', compare: 'gen-1', tab: 'raw' }, [
  'user',
]);
const dear = toView('Dear', { min_cost: '0.01' }, []);

test('keeps filters, time and columns, but not what is open or compared', () => {
  expect(failures).toEqual({ name: 'Failures', search: { status: 'failed', range: '24h' }, hiddenColumns: ['user'] });
});

test('keeps views in the order of their names, and one of each name', () => {
  const views = putView(putView([], failures), dear);
  expect(views.map(({ name }) => name)).toEqual(['Dear', 'Failures']);
  expect(putView(views, { ...dear, search: { min_cost: '1' } })).toEqual([
    { ...dear, search: { min_cost: '1' } },
    failures,
  ]);
  expect(removeView(views, 'Dear')).toEqual([failures]);
});

test('renames a view unless the name is taken or none', () => {
  const views = [dear, failures];
  expect(renameView(views, 'Dear', 'Zebra')).toEqual([failures, { ...dear, name: 'Zebra' }]);
  expect(renameView(views, 'Dear', 'Dear')).toBe(views);
  expect(renameView(views, 'Dear', 'Failures')).toBe('A view named “Failures” already exists');
  expect(renameView(views, 'Dear', '  ')).toBe('Enter a name');
  expect(renameView(views, 'Gone', 'Here')).toBe(views);
  expect(findNameProblem(views, 'Here')).toBeUndefined();
});

test('knows the view that shows just this, in whatever order it was put together', () => {
  const views = [dear, failures];
  expect(findView(views, { range: '24h', status: 'failed', open: 'gen-2' }, ['user'])).toBe(failures);
  expect(findView(views, { range: '24h', status: 'failed' }, [])).toBeUndefined();
  expect(findView(views, { range: '7d', status: 'failed' }, ['user'])).toBeUndefined();
});
