import { expect, test } from 'vitest';

import { type Experiment, newExperiment } from '../../../features/playground/experiment.ts';
import { fromRows } from '../../../features/playground/setup/schema-draft.ts';
import { addTurns } from '../experiment/edit-turns.ts';
import { NotAnExperiment, readExperimentFile, toExperimentFile } from './experiment-file.ts';

let made = 0;
const newId = (): string => `id${(made += 1)}`;

function anExperiment(): Experiment {
  const empty = newExperiment(['a/a', 'b/b'], newId);
  const ids = empty.columns.map(({ id }) => id);
  const attached = [{ name: 'a.png', kind: 'image' as const, url: 'data:image/png;base64,AAAA', bytes: 3 }];
  const asked = addTurns(empty, ids, [{ type: 'user', id: 'u1', text: '<script>', attached, kept: [{ type: 'odd' }] }]);
  const completed = addTurns(asked, ids.slice(0, 1), [
    {
      type: 'assistant',
      id: 'a1',
      text: 'Hello',
      reasoning: '',
      reasoningDetails: [{ type: 'x' }],
      toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }],
      images: ['data:image/png;base64,BBBB'],
      audio: { format: 'pcm16', data: 'AAAA' },
      outcome: null,
    },
  ]);
  const schema = fromRows([{ name: 'city', type: 'string', isRequired: true, description: '', choices: '' }]);
  const tools = [{ name: 'look', description: '', schema }];
  return { ...completed, name: 'Mine', setup: { ...completed.setup, tools } };
}

const withoutIds = ({ id: _id, columns, ...rest }: Experiment) => ({
  ...rest,
  columns: columns.map(({ id: _own, turns, ...column }) => ({
    ...column,
    turns: turns.map(({ id: _turn, ...turn }) => turn),
  })),
});

test('a file brings back what was saved, with ids of its own', () => {
  const experiment = anExperiment();
  const { text, leftOut } = toExperimentFile(experiment);
  const read = readExperimentFile(text, newId);
  expect(leftOut).toEqual([]);
  expect(withoutIds(read)).toEqual(withoutIds(experiment));
  expect(read.id).not.toBe(experiment.id);
  // A message that both columns have is still one.
  expect(read.columns[0]?.turns[0]?.id).toBe(read.columns[1]?.turns[0]?.id);
});

const broken = (path: readonly (string | number)[], value: unknown): string => {
  const file = JSON.parse(toExperimentFile(anExperiment()).text) as Record<string | number, unknown>;
  const parent = path
    .slice(0, -1)
    .reduce<Record<string | number, unknown>>((at, name) => at[name] as Record<string | number, unknown>, file);
  parent[path.at(-1) ?? ''] = value;
  return JSON.stringify(file);
};

test.each([
  ['{', 'It is not JSON'],
  ['[]', 'the file: '],
  [broken(['format'], 'other'), 'format: '],
  [broken(['version'], 2), 'version: '],
  [broken(['experiment', 'columns'], []), 'experiment.columns: '],
  [broken(['experiment', 'columns', 0, 'turns', 0, 'text'], 5), 'experiment.columns.0.turns.0.text: '],
  [broken(['experiment', 'columns', 0, 'turns', 0, 'type'], 'odd'), 'experiment.columns.0.turns.0.type: '],
  [
    broken(['experiment', 'columns', 0, 'turns', 1, 'images', 0], 'https://a.example/spy.png'),
    'experiment.columns.0.turns.1.images.0: must be empty or a data: address',
  ],
  [
    broken(['experiment', 'columns', 0, 'turns', 0, 'attached', 0, 'url'], 'data:text/html;base64,AAAA'),
    'experiment.columns.0.turns.0.attached.0.url: must be',
  ],
  [
    broken(['experiment', 'setup', 'tools', 0, 'schema', 'rows', 0, 'type'], 'odd'),
    'experiment.setup.tools.0.schema.rows.0.type: ',
  ],
])('a file that is none names the field: %#', (text, message) => {
  expect(() => readExperimentFile(text, newId)).toThrow(NotAnExperiment);
  expect(() => readExperimentFile(text, newId)).toThrow(message);
});
