import { expect, test } from 'vitest';

import { countRequests, findIssues, toDraft, toPlanBody, toRerunBody } from './rerun-draft.ts';
import { toRerunSearch } from './rerun-search.ts';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const NAMES = new Map([['a1b2', 'My key']]);
const HASHES = new Map([['My key', 'a1b2']]);

test('the filters of a list become the set, and how it is shown does not', () => {
  const search = toRerunSearch({
    new: '1',
    model: 'acme/large,acme/other',
    key: 'a1b2',
    status: 'ok',
    min_cost: '0.01',
    where: 'attempts>1',
    range: '24h',
    sort: 'cost',
    open: 'gen-1',
    group: 'model',
  });
  expect(Object.keys(search)).not.toContain('sort');
  const draft = toDraft(search, NAMES);
  expect(draft.filter).toBe('model:acme/large,acme/other key:"My key" status:ok cost>=0.01 attempts>1');
  expect(JSON.parse(JSON.stringify(toPlanBody(draft, NOW, HASHES).set))).toEqual({
    filter: {
      model: 'acme/large,acme/other',
      key: 'a1b2',
      status: 'ok',
      min_cost: '0.01',
      where: 'attempts>1',
      from: '2026-03-03T12:00:00.000Z',
    },
    limit: 100,
  });
});

test('a span without a name is kept as it is, and without any the last week is proposed', () => {
  const [from, to] = ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'];
  const { set } = toPlanBody(toDraft(toRerunSearch({ from, to })), NOW);
  expect(set).toMatchObject({ filter: { from, to } });
  expect(toDraft({}).range).toBe('7d');
});

test('requests that are named go alone, whatever the filter', () => {
  const draft = { ...toDraft({ ids: 'gen-1,gen-2' }), filter: 'what cannot be a filter here' };
  expect(toPlanBody(draft, NOW).set).toEqual({ generation_ids: ['gen-1', 'gen-2'] });
  expect(findIssues({ ...draft, models: ['acme/small'] })).toEqual({});
});

test('what is changed of the requests holds for each model', () => {
  const draft = {
    ...toDraft({}),
    models: ['acme/small', 'acme/tiny'],
    systemChange: 'append' as const,
    system: 'Be brief.',
    parameters: '{"temperature":0,"top_p":null}',
  };
  const change = { system: { append: 'Be brief.' }, parameters: { temperature: 0, top_p: null } };
  expect(toPlanBody(draft, NOW).targets).toEqual([
    { model: 'acme/small', ...change },
    { model: 'acme/tiny', ...change },
  ]);
  expect(toPlanBody({ ...draft, systemChange: 'keep' }, NOW).targets[0]).not.toHaveProperty('system');
});

test('a preset is a target beside models, with its own model or another one', () => {
  const draft = { ...toDraft({}), models: ['@preset/brief', 'acme/chat@preset/brief', 'acme/chat'] };
  expect(toPlanBody(draft, NOW).targets).toEqual([
    { preset: 'brief' },
    { model: 'acme/chat', preset: 'brief' },
    { model: 'acme/chat' },
  ]);
});

test('each chosen provider of a model is a target of its own', () => {
  const draft = {
    ...toDraft({}),
    models: ['acme/small', 'acme/tiny'],
    providers: { 'acme/small': ['one', 'two'], 'acme/gone': ['three'] },
  };
  expect(toPlanBody(draft, NOW).targets).toEqual([
    { model: 'acme/small', provider: 'one' },
    { model: 'acme/small', provider: 'two' },
    { model: 'acme/tiny' },
  ]);
});

test('the requests of a file go alone, and a key pays that is chosen', () => {
  const upload = { name: 'requests.ndjson', text: '{"request":{"body":{}}}\n\n{"request":{"body":{}}}\n' };
  const draft = { ...toDraft({}), upload, filter: 'no condition', models: ['acme/small'], payer: 'a1b2' };
  expect(countRequests(upload)).toBe(2);
  expect(findIssues(draft)).toEqual({});
  expect(toRerunBody(draft, NOW)).toMatchObject({ set: { ndjson: upload.text }, run_as_key: 'a1b2' });
  expect(toRerunBody({ ...draft, payer: '' }, NOW).run_as_key).toBeUndefined();
});

test('judges by code, by a pattern and by a model are sent, and the limits as numbers', () => {
  const draft = {
    ...toDraft({}),
    models: ['acme/small'],
    judges: ['length', 'json_equal'] as const,
    pattern: '^\\{',
    judgeModel: 'acme/large',
    rubric: 'Which is right?',
    name: ' Cheaper ',
    maxCost: '2.5',
    concurrency: '8',
  };
  expect(toRerunBody(draft, NOW)).toMatchObject({
    name: 'Cheaper',
    max_cost_usd: 2.5,
    concurrency: 8,
    judges: [
      { type: 'json_equal' },
      { type: 'length' },
      { type: 'regex', pattern: '^\\{' },
      { type: 'model', model: 'acme/large', rubric: 'Which is right?' },
    ],
  });
});

test.each([
  ['no model', { models: [] }, 'targets'],
  ['a text that is no condition', { filter: 'status:ok timeout' }, 'set'],
  ['an unknown field', { filter: 'modle:acme/large' }, 'set'],
  ['parameters that are no JSON', { parameters: '{' }, 'parameters'],
  ['parameters that are a list', { parameters: '[1]' }, 'parameters'],
  ['a judge without a rubric', { judgeModel: 'acme/large' }, 'judges'],
  ['a rubric without a judge', { rubric: 'Which is right?' }, 'judges'],
])('%s is told before anything is sent', (_, part, field) => {
  const draft = { ...toDraft({}), models: ['acme/small'], ...part };
  expect(Object.keys(findIssues(draft))).toEqual([field]);
});
