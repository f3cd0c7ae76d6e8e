import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { BuiltinFilter, CustomFilter } from '../wire/guardrails.ts';
import { toNewGuardrail } from './change-guardrail.ts';
import { combineGuardrails } from './effective-policy.ts';
import { compileOutputFilters, type OutputFilters } from './filters/compile-filters.ts';
import { createTextGuard, MAX_STREAMED_MATCH } from './text-guard.ts';

const redactsAndFlags: readonly CustomFilter[] = [
  { pattern: 'launch code \\d+', action: 'redact', label: '[CODE]', direction: 'output' },
  { pattern: '\\bsecret\\b', action: 'redact', direction: 'output' },
  { pattern: '^todo:.*$', action: 'redact', label: '[TODO]', direction: 'output' },
  { pattern: 'co(?:de)?', action: 'flag', direction: 'output' },
  { pattern: 'a+', action: 'redact', label: '[A]', direction: 'output' },
  { pattern: 'b{1000}', action: 'redact', label: '[B]', direction: 'output' },
];

function compile(custom: readonly CustomFilter[], builtIn: readonly BuiltinFilter[] = []): OutputFilters {
  const guardrail = {
    ...toNewGuardrail({ id: 'g', name: 'g', workspace_id: null, created_at: '' }),
    content_filters: [...custom],
    content_filter_builtins: [...builtIn],
  };
  const compiled = compileOutputFilters(combineGuardrails([{ scope: 'api-key', guardrail }]).filters);
  if (compiled === null) throw new Error('no filters');
  return compiled;
}

interface Guarded {
  readonly text: string;
  readonly blockedBy: string | null;
  readonly findings: readonly string[];
  readonly mostHeld: number;
}

function guard(pieces: readonly string[], filters: OutputFilters): Guarded {
  const findings: string[] = [];
  const textGuard = createTextGuard(filters, ({ compiled }) => findings.push(compiled.filter.label));
  let text = '';
  let received = 0;
  let mostHeld = 0;
  for (const piece of pieces) {
    const step = textGuard.push(piece);
    text += step.text;
    received += piece.length;
    if (step.blockedBy !== null) return { text, blockedBy: step.blockedBy.compiled.filter.label, findings, mostHeld };
    mostHeld = Math.max(mostHeld, received - text.length);
  }
  const last = textGuard.end();
  text += last.text;
  return { text, blockedBy: last.blockedBy?.compiled.filter.label ?? null, findings, mostHeld };
}

test('judges JSON by what it says, in whatever pieces it comes, and leaves it JSON', () => {
  const filters = compile([
    { pattern: '\\bbadger\\b', action: 'redact', label: '"B"', direction: 'output' },
    { pattern: 'fox', action: 'flag', direction: 'output' },
  ]);
  const json = String.raw`{"a":"one\n\u0062adger","b":"\\u0062adger","c":"f\u006fx"}`;
  for (let size = 1; size <= json.length; size += 1) {
    const findings: string[] = [];
    const textGuard = createTextGuard(filters, ({ compiled }) => findings.push(compiled.origin.action), true);
    let text = '';
    for (let at = 0; at < json.length; at += size) text += textGuard.push(json.slice(at, at + size)).text;
    text += textGuard.end().text;
    expect(text).toBe(String.raw`{"a":"one\n\"B\"","b":"\\u0062adger","c":"f\u006fx"}`);
    expect(findings).toEqual(['redact', 'flag']);
  }
});

const mixed = compile(redactsAndFlags, [
  { slug: 'email', action: 'redact', direction: 'both' },
  { slug: 'credit-card', action: 'redact', direction: 'output' },
]);

test.each([
  ['the launch code 42 is', 'the [CODE] is'],
  ['THE LAUNCH CODE 42', 'THE [CODE]'],
  ['the lau\u200Bnch ｃｏｄｅ 42!', 'the [CODE]!'],
  ['secret, secrets, topsecret', '[REDACTED], secrets, topsecret'],
  ['ok\ntodo: one\nmore', 'ok\n[TODO]\nmore'],
  ['not todo: one', 'not todo: one'],
  ['mail jo@example.com now', 'm[A]il [EMAIL] now'],
  ['4111 1111 1111 1111 or 4111 1111 1111 1112', '[CREDIT_CARD] or 4111 1111 1111 1112'],
  ['😀secret😀', '😀[REDACTED]😀'],
  ['e\u0301 secret e\u0301', 'e\u0301 [REDACTED] e\u0301'],
  ['', ''],
  ['secret '.repeat(2000), '[REDACTED] '.repeat(2000)],
  [`${'x'.repeat(4096)}secret ${'y '.repeat(1000)}`, `${'x'.repeat(4096)}secret ${'y '.repeat(1000)}`],
  ['\u200B\u200B', '\u200B\u200B'],
])('of %j lets through %j, however it comes', (text, expected) => {
  expect(guard([text], mixed).text).toBe(expected);
  expect(guard(text.split(''), mixed).text).toBe(expected);
});

const piece = fc.constantFrom(
  'the ',
  'launch code 42',
  'launch ',
  'code ',
  '7',
  'secret',
  ' ',
  '\n',
  'todo: x',
  'jo@example.com',
  'é',
  'e\u0301',
  '\u200B',
  'ｃｏｄｅ',
  '😀',
  '4111 1111 1111 1111',
  'a'.repeat(30),
  'a'.repeat(1500),
  'b'.repeat(1000),
  'b'.repeat(300),
  'x'.repeat(700),
  'ﷺ',
  '\u200B'.repeat(600),
  '4111111',
  '.',
);

test('releases the same text however a completion is split', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), fc.array(fc.nat(6000), { maxLength: 20 }), (words, cuts) => {
      const text = words.join('');
      const points = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].toSorted(
        (a, b) => a - b,
      );
      const pieces = points.slice(1).map((point, index) => text.slice(points[index], point));
      const atOnce = guard([text], mixed);
      const cut = guard(pieces, mixed);
      const single = guard(text.split(''), mixed);
      expect({ text: cut.text, findings: cut.findings }).toEqual({ text: atOnce.text, findings: atOnce.findings });
      expect({ text: single.text, findings: single.findings }).toEqual({
        text: atOnce.text,
        findings: atOnce.findings,
      });
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('holds back at most as much as a match can be long', () => {
  const flags = compile([{ pattern: 'nothing', action: 'flag', direction: 'output' }]);
  for (const text of ['x'.repeat(5000), '\u200B'.repeat(5000), 'é😀'.repeat(2000), `e${'\u0301'.repeat(4000)}`]) {
    const single = guard(text.split(''), flags);
    expect(single.text).toBe(text);
    expect(single.mostHeld).toBeLessThanOrEqual(MAX_STREAMED_MATCH);
  }
});

test('finds a match of the greatest length wherever it begins', () => {
  const filters = compile([{ pattern: 'q{500}z{524}', action: 'block', label: 'Q', direction: 'output' }]);
  const match = 'q'.repeat(500) + 'z'.repeat(524);
  for (const before of ['', 'x', 'x'.repeat(900), 'x'.repeat(9000)]) {
    for (const after of ['', 'y', 'y'.repeat(3000)]) {
      for (const pieces of [[before + match + after], (before + match + after).split('')]) {
        expect(guard(pieces, filters)).toMatchObject({ text: before, blockedBy: 'Q' });
      }
    }
  }
});

test('stops before what is blocked, however it comes', () => {
  const filters = compile([
    { pattern: 'launch code \\d', action: 'block', label: 'X1', direction: 'output' },
    { pattern: 'the', action: 'redact', direction: 'output' },
  ]);
  const text = `${'so '.repeat(600)}the launch code 42 is here`;
  const expected = { text: `${'so '.repeat(600)}[REDACTED] `, blockedBy: 'X1' };
  expect(guard([text], filters)).toMatchObject(expected);
  expect(guard(text.split(''), filters)).toMatchObject(expected);
});

test('of overlapping matches the first placeholder stands for both', () => {
  const filters = compile([
    { pattern: 'abcd', action: 'redact', label: '[1]', direction: 'output' },
    { pattern: 'cdef', action: 'redact', label: '[2]', direction: 'output' },
  ]);
  expect(guard(['xabcdefx'], filters).text).toBe('x[1]x');
});

test('matches of one filter do not overlap, so that it finds in a stream what it finds in a whole text', () => {
  const filters = compile([{ pattern: 'aba', action: 'redact', label: '[1]', direction: 'output' }]);
  expect(guard(['ababa'], filters).text).toBe('[1]ba');
});
