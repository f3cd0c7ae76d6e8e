import { expect, test } from 'vitest';

import { createLogger, createRedactor, toReadableLine } from './logger.ts';

function collect(secrets: readonly string[] = []) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLogger({ level: 'info', secrets, destination }) };
}

test('an event is one line of JSON, without the machine’s name', () => {
  const { lines, log } = collect();
  log.warn('slow', { ms: 5 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/}\n$/);
  expect(JSON.parse(lines[0] ?? '')).toEqual({ level: 'warn', time: expect.any(String), ms: 5, msg: 'slow' });
});

test('an error keeps its stack and cause', () => {
  const { lines, log } = collect();
  log.error('broken', { error: new Error('outer', { cause: new Error('inner') }) });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    error: { type: 'Error', message: expect.stringContaining('outer'), stack: expect.stringContaining('inner') },
  });
});

test('secrets are taken out wherever they stand', () => {
  const { lines, log } = collect(['up-"secret"-1', 'up-"secret"-1-longer', 'abc']);
  const issued = `sk-gw-v1-${'0'.repeat(64)}`;
  log.error('up-"secret"-1-longer failed', {
    header: 'Bearer something',
    nested: [{ text: `x ${issued} y` }],
    word: 'abc',
  });
  const line = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({
    msg: '[redacted] failed',
    header: 'Bearer [redacted]',
    nested: [{ text: 'x [redacted] y' }],
    word: 'abc',
  });
});

test('a line without secrets is left alone', () => {
  const line = '{"msg":"bearer of news"}';
  expect(createRedactor([])('{"msg":"nothing"}')).toBe('{"msg":"nothing"}');
  expect(JSON.parse(createRedactor([])(line))).toBeTypeOf('object');
});

test('on a terminal a line is for people', () => {
  const line = JSON.stringify({
    level: 'warn',
    time: '2025-01-01T10:20:30.000Z',
    dir: '/a b',
    n: 1,
    error: { stack: 'Error: x\n  at y' },
    msg: 'hm',
  });
  expect(toReadableLine(line)).toBe('10:20:30 WARN hm dir="/a b" n=1 error=\n  Error: x\n    at y\n');
  expect(toReadableLine('{"level":"info","msg":"up"}')).toBe(' up\n');
});
