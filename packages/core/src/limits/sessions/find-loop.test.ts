import { describe, expect, test } from 'vitest';

import { createDice } from '../../../../../test/support/gateways/cached-chats.ts';
import type { ChatMessage } from '../../wire/chat-request.ts';
import { findLoop } from './find-loop.ts';

const TIMES = 5;

interface Turn {
  /** Name and arguments of each tool; a text without any. */
  readonly calls: readonly (readonly [name: string, given: string])[] | string;
  readonly results: readonly string[];
}

const tool = (name: string, given: object | string, result: string): Turn => ({
  calls: [[name, typeof given === 'string' ? given : JSON.stringify(given)]],
  results: [result],
});

const say = (text: string, answer: string): Turn => ({ calls: text, results: [answer] });

function toMessages(turns: readonly Turn[]): ChatMessage[] {
  return [
    { role: 'system', content: 'You work in a repository.' },
    { role: 'user', content: 'Mend the failing test.' },
    ...turns.flatMap(({ calls, results }, at): ChatMessage[] =>
      typeof calls === 'string'
        ? [
            { role: 'assistant', content: calls },
            { role: 'user', content: results[0] ?? '' },
          ]
        : [
            {
              role: 'assistant',
              content: null,
              tool_calls: calls.map(([name, given], index) => ({
                id: `call-${at}-${index}`,
                type: 'function' as const,
                function: { name, arguments: given },
              })),
            },
            ...results.map((content, index): ChatMessage => ({
              role: 'tool',
              content,
              tool_call_id: `call-${at}-${index}`,
            })),
          ],
    ),
  ];
}

const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

type Dice = ReturnType<typeof createDice>;
const upTo = (dice: Dice, most: number): number => dice(most);

/** What an agent does as it gets on: files are read, changed and tried, and nothing comes out twice. */
const work = (dice: Dice, count: number): Turn[] =>
  times(count, (at): Turn => {
    const file = `src/part-${upTo(dice, 1000)}.ts`;
    const turns = [
      tool('read_file', { path: file }, `export const value = ${upTo(dice, 1e6)};`),
      tool('edit_file', { path: file, old: String(upTo(dice, 1e6)), new: String(upTo(dice, 1e6)) }, 'ok'),
      tool('run_tests', {}, `${at} of ${40 + upTo(dice, 50)} tests failed in ${upTo(dice, 900)} ms`),
    ] as const;
    return turns[upTo(dice, turns.length) as 0 | 1 | 2];
  });

const LOOPS: Readonly<Record<string, (dice: Dice) => readonly Turn[]>> = {
  'one tool fails in the same way, at other moments': (dice) =>
    times(TIMES, (at) =>
      tool('run_tests', { filter: 'cart' }, `2026-03-01T10:0${at}:1${at}.4Z 3 tests failed in ${dice(9)}.${dice(90)}s`),
    ),
  'its arguments are written in another order': () =>
    times(TIMES, (at) =>
      tool('search', at % 2 === 0 ? '{"q":"cart","in":["src"]}' : '{ "in": ["src"], "q": "cart" }', 'no match'),
    ),
  'two steps alternate': () =>
    times(TIMES, () => [tool('read_file', { path: 'a.ts' }, 'a'), tool('read_file', { path: 'b.ts' }, 'b')]).flat(),
  'four steps go round': () =>
    times(TIMES, () => ['a', 'b', 'c', 'd'].map((name) => tool('read_file', { path: name }, `it is ${name}`))).flat(),
  'the same completion comes after the same words': () =>
    times(TIMES, () => say('I will now mend the test.', 'Go on.')),
  'two tools are called at once, in either order': () =>
    times(TIMES, (at) => ({
      calls:
        at % 2 === 0
          ? ([
              ['list', '{}'],
              ['status', '{}'],
            ] as const)
          : ([
              ['status', '{}'],
              ['list', '{}'],
            ] as const),
      results: ['clean', 'clean'],
    })),
};

const WORK: Readonly<Record<string, (dice: Dice) => readonly Turn[]>> = {
  'the work gets on': (dice) => work(dice, 20),
  'a job tells of its progress': (dice) =>
    times(12, (at) =>
      tool('job_status', { id: 7 }, `running: ${at * 8 + upTo(dice, 7)} % of ${upTo(dice, 3) + 4} files`),
    ),
  'a job is waited for, and is ready before it is too late': () => [
    ...times(TIMES - 1, () => tool('job_status', { id: 7 }, 'pending')),
    tool('job_status', { id: 7 }, 'ready'),
  ],
  'the same test fails between changes': (dice) =>
    times(8, () => [
      tool('edit_file', { path: 'cart.ts', new: String(upTo(dice, 1e9)) }, 'ok'),
      tool('run_tests', { filter: 'cart' }, '1 test failed'),
    ]).flat(),
  'a person says yes to one thing after the other': (dice) =>
    times(8, () => say(`Shall I do step ${upTo(dice, 1e6)}?`, 'yes')),
  'an old repetition was left behind': (dice) => [
    ...times(TIMES - 1, () => tool('search', { q: 'cart' }, 'no match')),
    ...work(dice, 4),
    ...times(TIMES - 1, () => tool('search', { q: 'cart' }, 'no match')),
  ],
};

function label(kinds: typeof LOOPS, count: number): readonly (readonly [name: string, messages: ChatMessage[]])[] {
  const entries = Object.entries(kinds);
  return times(count, (at) => {
    const dice = createDice(at + 1);
    const [name, make] = entries[at % entries.length] ?? ['', () => []];
    return [name, toMessages([...work(dice, upTo(dice, 30)), ...make(dice)])];
  });
}

describe('of 200 labelled sessions', () => {
  test('the 100 that go in circles are found', () => {
    const missed = label(LOOPS, 100).filter(([, messages]) => findLoop(messages, TIMES) === null);
    expect(missed.map(([name]) => name)).toEqual([]);
  });

  test('the 100 that get on are never stopped, at whatever turn they are looked at', () => {
    const stopped = label(WORK, 100).filter(([, messages]) =>
      messages.some((_, at) => findLoop(messages.slice(0, at + 1), TIMES) !== null),
    );
    expect(stopped.map(([name]) => name)).toEqual([]);
  });
});

test('a loop is found at its last repetition and not before, with its steps and tools', () => {
  const turns = times(TIMES, () => [tool('read', { path: 'a' }, 'a'), tool('write', { path: 'a' }, 'refused')]).flat();
  const messages = toMessages(turns);
  expect(findLoop(messages, TIMES)).toEqual({ steps: 2, times: TIMES, tools: ['write', 'read'] });
  expect(findLoop(messages.slice(0, -2), TIMES)).toBe(null);
  expect(findLoop(messages.slice(0, -1), TIMES)).toBe(null);
});

test('arguments that are no JSON are compared as they are', () => {
  expect(findLoop(toMessages(times(3, () => tool('run', '{"a":', 'error'))), 3)).toMatchObject({ tools: ['run'] });
  expect(findLoop(toMessages(times(3, (at) => tool('run', `{"a":${at}`, 'error'))), 3)).toBe(null);
});
