import { expect, test } from 'vitest';

import {
  type AssistantTurn,
  MAX_COLUMNS,
  newExperiment,
  toTitle,
  type ToolTurn,
  type UserTurn,
} from '../../../features/playground/experiment.ts';
import {
  addColumn,
  addTurns,
  columnsWith,
  cutAfter,
  dropCompletion,
  findOpenCalls,
  isPending,
  removeTurn,
  restoreTurns,
  setTurnText,
} from './edit-turns.ts';

let made = 0;
const newId = (): string => `id${(made += 1)}`;
const asked = (id: string, text = 'Hi'): UserTurn => ({ type: 'user', id, text, attached: [], kept: [] });
const completed = (id: string, calls: readonly string[] = []): AssistantTurn => ({
  type: 'assistant',
  id,
  text: `Text of ${id}`,
  reasoning: '',
  reasoningDetails: [],
  toolCalls: calls.map((call) => ({ id: call, name: 'look', arguments: '{}' })),
  images: [],
  audio: null,
  outcome: null,
});
const result = (id: string, callId: string): ToolTurn => ({ type: 'tool', id, callId, name: 'look', text: '7' });

function twoColumns() {
  const empty = newExperiment(['a/a', 'b/b'], newId);
  const [a = '', b = ''] = empty.columns.map(({ id }) => id);
  const both = addTurns(empty, [a, b], [asked('u1')]);
  return { a, b, experiment: addTurns(addTurns(both, [a], [completed('a1')]), [b], [completed('b1')]) };
}

const idsOf = ({ columns }: ReturnType<typeof twoColumns>['experiment']) =>
  columns.map(({ turns }) => turns.map(({ id }) => id));

test('a message that was sent to all is changed in all, a completion where it stands', () => {
  const { a, b, experiment } = twoColumns();
  const changed = setTurnText(setTurnText(experiment, 'u1', 'Hello'), 'b1', 'Mended');
  expect(changed.columns.map(({ turns }) => turns.map(({ text }) => text))).toEqual([
    ['Hello', 'Text of a1'],
    ['Hello', 'Mended'],
  ]);
  expect([columnsWith(changed.columns, 'u1'), columnsWith(changed.columns, 'a1')]).toEqual([[a, b], [a]]);
});

test('what was recorded is neither changed nor continued', () => {
  const { a, experiment } = twoColumns();
  const recorded = {
    ...experiment,
    columns: experiment.columns.map((column) => ({ ...column, isOriginal: column.id === a })),
  };
  const changed = addTurns(cutAfter(removeTurn(setTurnText(recorded, 'u1', 'X'), 'a1'), 'u1'), [a], [asked('u2')]);
  expect(changed.columns[0]).toEqual(recorded.columns[0]);
  expect(idsOf(changed)[1]).toEqual(['u1']);
  expect(changed.columns.map(isPending)).toEqual([false, true]);
});

test('a conversation is cut after a message, and asked again for its last completion', () => {
  const { a, experiment } = twoColumns();
  expect(idsOf(cutAfter(experiment, 'u1'))).toEqual([['u1'], ['u1']]);
  expect(idsOf(dropCompletion(experiment, a))).toEqual([['u1'], ['u1', 'b1']]);
  expect(dropCompletion(experiment, a).columns.map(isPending)).toEqual([true, false]);
});

test('calls of tools are open until each has a result, which goes when the call does', () => {
  const { a, experiment } = twoColumns();
  const called = addTurns(dropCompletion(experiment, a), [a], [completed('a2', ['c1', 'c2']), result('t1', 'c1')]);
  const turns = called.columns[0]?.turns ?? [];
  expect(findOpenCalls(turns).map(({ id }) => id)).toEqual(['c2']);
  expect(called.columns.map(isPending)[0]).toBe(false);
  const answered = addTurns(called, [a], [result('t2', 'c2')]);
  expect(answered.columns.map(isPending)[0]).toBe(true);
  expect(idsOf(removeTurn(answered, 'a2'))[0]).toEqual(['u1']);
});

test('a message that was removed comes back where it stood, and what came since stays', () => {
  const { a, b, experiment } = twoColumns();
  const before = addTurns(experiment, [a, b], [asked('u2')]);
  const undo = (after: typeof before, now: typeof before) => idsOf(restoreTurns(now, { before, after }));
  const after = removeTurn(before, 'u2');
  expect(undo(after, after)).toEqual(idsOf(before));
  const later = addTurns(after, [a], [asked('u3'), completed('a3')]);
  expect(undo(after, later)).toEqual([
    ['u1', 'a1', 'u2', 'u3', 'a3'],
    ['u1', 'b1', 'u2'],
  ]);
  const first = removeTurn(before, 'u1');
  expect(undo(first, addTurns(cutAfter(first, 'a1'), [a], [asked('u3')]))).toEqual([
    ['u1', 'a1', 'u3'],
    ['u1', 'b1', 'u2'],
  ]);
});

test('calls of tools that were removed come back with their results', () => {
  const { a, experiment } = twoColumns();
  const before = addTurns(dropCompletion(experiment, a), [a], [completed('a2', ['c1']), result('t1', 'c1')]);
  const after = removeTurn(before, 'a2');
  expect(idsOf(restoreTurns(addTurns(after, [a], [asked('u3')]), { before, after }))[0]).toEqual([
    'u1',
    'a2',
    't1',
    'u3',
  ]);
});

test('a model that is added is asked what the one before was asked last; there are eight at most', () => {
  let { experiment } = twoColumns();
  experiment = addColumn(experiment, 'c/c', newId);
  expect(idsOf(experiment)[2]).toEqual(['u1']);
  expect(experiment.columns.map(isPending)).toEqual([false, false, true]);
  for (let more = 0; more < 10; more += 1) experiment = addColumn(experiment, 'd/d', newId);
  expect(experiment.columns).toHaveLength(MAX_COLUMNS);
});

test('an experiment without a name is called by how it begins', () => {
  const { experiment } = twoColumns();
  expect([toTitle(experiment), toTitle({ ...experiment, name: 'Mine' })]).toEqual(['Hi', 'Mine']);
  expect(toTitle(newExperiment(['a/a'], newId))).toBe('Untitled');
  expect(toTitle(setTurnText(experiment, 'u1', 'word '.repeat(40)))).toHaveLength(60);
});
