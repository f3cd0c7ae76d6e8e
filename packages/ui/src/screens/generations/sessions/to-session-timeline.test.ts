import { expect, test } from 'vitest';

import type { GenerationContent } from '../../../api/types.ts';
import {
  agentOf,
  type SessionCall,
  splitByPauses,
  toGrowth,
  toSessionTimeline,
  toToolSums,
  toToolUse,
  type ToolUse,
} from './to-session-timeline.ts';

const START = Date.parse('2026-01-02T03:00:00.000Z');

const callAt = (id: string, seconds: number, others: Partial<SessionCall> = {}): SessionCall => ({
  id,
  created_at: new Date(START + seconds * 1000).toISOString(),
  model: 'acme/chat',
  status: 'ok',
  provider_name: 'Acme',
  finish_reason: 'stop',
  streamed: true,
  tokens_prompt: 100,
  tokens_completion: 20,
  total_cost: 0.25,
  cost_known: true,
  latency: 500,
  generation_time: 2000,
  origin: '',
  user_agent: null,
  external_user: null,
  key_hash: 'k',
  session_id: 's',
  attempts: 1,
  api_type: 'completions',
  prompt_preview: null,
  ...others,
});

const contentOf = (messages: unknown[], calls: readonly [string, string, string][]): GenerationContent => ({
  input: { messages },
  output: {
    completion: null,
    reasoning: null,
    tool_calls: calls.map(([id, name, args]) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: args },
    })),
  },
  error: null,
});

test('puts tools between the response that calls them and the request that brings their results', () => {
  const calls = [callAt('a', 0), callAt('b', 5)];
  const tools = new Map<string, ToolUse>([
    [
      'a',
      toToolUse(
        contentOf(
          [],
          [
            ['t1', 'read_file', '{"path":"a"}'],
            ['t2', 'wait', '{}'],
          ],
        ),
      ),
    ],
    ['b', toToolUse(contentOf([{ role: 'tool', tool_call_id: 't1', content: 'the text' }], []))],
  ]);
  const { rows } = toSessionTimeline({ calls, firstPlace: 1, tools });
  expect(rows.map(({ label, status }) => [label, status])).toEqual([
    ['1. chat', ''],
    ['└ read_file', ''],
    ['└ wait', 'no result'],
    ['2. chat', ''],
  ]);
  expect(rows[1]?.pieces).toMatchObject([{ atMs: 2000, tookMs: 3000 }]);
  expect(rows[1]?.detail).toEqual(['{"path":"a"}', '→ the text']);
  expect(rows[2]?.pieces).toMatchObject([{ tookMs: null }]);
});

test('names the sub-agent that requests belong to, as their labels say', () => {
  const trace = { parent_span_id: 'p', span_name: 'researcher' };
  const calls = [callAt('a', 0), callAt('b', 3, { trace }), callAt('c', 6, { trace, status: 'failed' })];
  const { rows } = toSessionTimeline({ calls, firstPlace: 4, tools: new Map() });
  expect(rows.map(({ label, status }) => [label, status])).toEqual([
    ['4. chat', ''],
    ['Agent researcher', ''],
    ['└ 5. chat', ''],
    ['└ 6. chat', 'failed'],
  ]);
  expect(rows[1]?.pieces).toMatchObject([{ atMs: 3000, tookMs: 5000 }]);
  expect(agentOf({ trace: { trace_name: 'main' } })).toBeNull();
});

test('splits a session where nothing happened for ten minutes', () => {
  const parts = splitByPauses([callAt('a', 0), callAt('b', 60), callAt('c', 3600)]);
  expect(parts.map((part) => part.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
  expect(splitByPauses([])).toEqual([]);
});

test('adds up costs, and leaves out those that are not known', () => {
  const calls = [callAt('a', 0), callAt('b', 1, { cost_known: false }), callAt('c', 2, { tokens_prompt: null })];
  expect(toGrowth(calls)).toEqual({ context: [100, 100, 0], cost: [0.25, 0.25, 0.5] });
});

test('reads what others have written, and leaves out what is neither call nor result', () => {
  const messages = [null, 'x', { role: 'tool' }, { role: 'tool', tool_call_id: 't', content: [{ text: 'a' }, 7] }];
  expect([...toToolUse(contentOf(messages, [])).results]).toEqual([['t', 'a']]);
});

test('adds up how often each tool was called and how long it took, the one that took longest first', () => {
  const calls = [callAt('a', 0), callAt('b', 5), callAt('c', 20)];
  const resultOf = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });
  const tools = new Map<string, ToolUse>([
    ['a', toToolUse(contentOf([], [['t1', 'read_file', '{}']]))],
    [
      'b',
      toToolUse(
        contentOf(
          [resultOf('t1')],
          [
            ['t2', 'run_tests', '{}'],
            ['t3', 'read_file', '{}'],
          ],
        ),
      ),
    ],
    ['c', toToolUse(contentOf([resultOf('t2')], []))],
  ]);
  expect(toToolSums(calls, tools)).toEqual([
    { name: 'run_tests', count: 1, tookMs: 13_000, longestMs: 13_000, open: 0 },
    { name: 'read_file', count: 2, tookMs: 3000, longestMs: 3000, open: 1 },
  ]);
});
