import type { PromptVersion } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import {
  type AssistantTurn,
  type Experiment,
  newExperiment,
  type UserTurn,
} from '../../../features/playground/experiment.ts';
import { EMPTY_SETUP } from '../../../features/playground/setup/setup.ts';
import { addTurns } from '../experiment/edit-turns.ts';
import { countTaken, isChanged, openVersion, toPromptDraft } from './prompt-draft.ts';

let made = 0;
const newId = (): string => `id${(made += 1)}`;
const asked = (text: string, more: Partial<UserTurn> = {}): UserTurn => ({
  type: 'user',
  id: newId(),
  text,
  attached: [],
  kept: [],
  ...more,
});
const completed = (text: string): AssistantTurn => ({
  type: 'assistant',
  id: newId(),
  text,
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  images: [],
  audio: null,
  outcome: { model: 'a/a' } as AssistantTurn['outcome'],
});

const PROMPT = { id: 'greet', name: 'Greet' };
const VERSION: PromptVersion = {
  version: 2,
  messages: [
    { role: 'system', content: 'Be {{tone}}' },
    { role: 'user', content: 'Greet {{name}}' },
  ],
  model: 'a/a',
  parameters: {
    temperature: 0.5,
    max_tokens: 100,
    stop: ['END'],
    reasoning: { effort: 'low' },
    provider: { sort: 'price', only: ['up', 'down'], allow_fallbacks: false },
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
    response_format: { type: 'json_schema', json_schema: { name: 'r', strict: true, schema: { type: 'object' } } },
  },
  note: null,
  created_at: '2026-03-01T10:00:00.000Z',
  created_by: 'Mo',
  variables: ['tone', 'name'],
};

const withTurns = (experiment: Experiment, ...turns: (UserTurn | AssistantTurn)[]): Experiment =>
  addTurns(experiment, [experiment.columns[0]?.id ?? ''], turns);

test('opens a version with its messages, its model and its parameters, each in its field where there is one', () => {
  const { setup, columns, prompt } = openVersion(PROMPT, VERSION, ['b/b'], newId);
  expect(prompt).toEqual({ ...PROMPT, version: 2 });
  expect(columns.map(({ model, turns }) => [model, turns.map(({ text }) => text)])).toEqual([
    ['a/a', ['Greet {{name}}']],
  ]);
  expect(setup).toMatchObject({
    system: 'Be {{tone}}',
    temperature: '0.5',
    maxTokens: '100',
    effort: 'low',
    providerSort: 'price',
    providerOnly: 'up, down',
    hasFallbacks: false,
    tools: [{ name: 'look', description: '' }],
    format: { type: 'json_schema', name: 'r', isStrict: true },
  });
  expect(JSON.parse(setup.more)).toEqual({ stop: ['END'] });
});

test('saves what it has opened as the same again', () => {
  const opened = openVersion(PROMPT, VERSION, [], newId);
  const { messages, model, parameters } = toPromptDraft(opened);
  expect({ messages, model, parameters }).toEqual({
    messages: VERSION.messages,
    model: VERSION.model,
    parameters: VERSION.parameters,
  });
  expect(isChanged(opened, VERSION)).toBe(false);
});

test.each([
  ['reasoning', { effort: 'low', exclude: true }],
  ['reasoning', { effort: 'xhigh' }],
  ['provider', { order: ['up'] }],
  ['tools', [{ type: 'openrouter:web_search' }]],
  ['tools', [{ type: 'function', function: { name: 'look', strict: true, parameters: {} } }]],
  ['response_format', { type: 'grammar', grammar: 'x' }],
  ['temperature', 'hot'],
  ['constructor', 1],
])('keeps %s as JSON where no field says all of it', (name, value) => {
  const { setup } = openVersion(PROMPT, { ...VERSION, parameters: { [name]: value } }, [], newId);
  expect({ ...setup, more: '' }).toEqual({ ...EMPTY_SETUP, system: 'Be {{tone}}' });
  expect(JSON.parse(setup.more)).toEqual({ [name]: value });
});

test('opens a version for any model with the models that are there', () => {
  const opened = openVersion(PROMPT, { ...VERSION, model: null }, ['b/b', 'c/c'], newId);
  expect(opened.columns.map(({ model }) => model)).toEqual(['b/b', 'c/c']);
  expect(isChanged(opened, { ...VERSION, model: null })).toBe(false);
});

test('is not changed by what is said while trying it, but by a text, a parameter or the model', () => {
  const opened = openVersion(PROMPT, VERSION, [], newId);
  expect(isChanged(withTurns(opened, completed('Hi!'), asked('And now?')), VERSION)).toBe(false);
  expect(isChanged({ ...opened, variables: { name: 'Ada' } }, VERSION)).toBe(false);
  expect(isChanged({ ...opened, setup: { ...opened.setup, system: 'Be brief' } }, VERSION)).toBe(true);
  expect(isChanged({ ...opened, setup: { ...opened.setup, temperature: '' } }, VERSION)).toBe(true);
  expect(isChanged({ ...opened, setup: { ...opened.setup, more: '{' } }, VERSION)).toBe(true);
  const [column] = opened.columns;
  expect(isChanged({ ...opened, columns: [{ ...column!, model: 'b/b' }] }, VERSION)).toBe(true);
});

test('takes the texts of the first column that is no recorded call, and of what is typed', () => {
  const empty = newExperiment(['a/a', 'b/b'], newId);
  const [original, second] = empty.columns;
  const experiment = {
    ...empty,
    columns: [{ ...original!, isOriginal: true, turns: [asked('Recorded')] }, second!],
    text: 'Typed',
    setup: { ...EMPTY_SETUP, more: '{"stream":false,"model":"x","stop":["a"]}' },
  };
  expect(toPromptDraft(experiment)).toEqual({
    messages: [{ role: 'user', content: 'Typed' }],
    model: 'b/b',
    parameters: { stop: ['a'] },
    isCut: false,
  });
});

test('says when something is no text, and takes no message that is empty', () => {
  const empty = newExperiment([''], newId);
  const experiment = withTurns(empty, asked('', { kept: [{ type: 'image_url' }] }), completed(' '));
  expect(toPromptDraft(experiment)).toEqual({ messages: [], model: null, parameters: null, isCut: true });
});

test('takes by default what the version had, else all but the last completions', () => {
  const { messages } = toPromptDraft(
    withTurns(newExperiment(['a/a'], newId), asked('1'), completed('2'), asked('3'), completed('4')),
  );
  expect(countTaken(messages, undefined)).toBe(3);
  expect(countTaken(messages, 1)).toBe(1);
  expect(countTaken(messages, 9)).toBe(4);
});
