import { expect, test } from 'vitest';

import { toRecord } from '../../../testing/rows.ts';
import type { GenerationContent } from '../../wire/generation.ts';
import { toInterruptedRecord, toPreview } from './records.ts';

const output = { completion: null, reasoning: null };
const of = (input: GenerationContent['input']): string | null => toPreview({ input, output } as GenerationContent);
const said = (...messages: unknown[]): string | null => of({ messages });

test('a preview is the last that the user said, in one line', () => {
  expect(
    said(
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'First' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: '  Tell me\n\tabout   flamingos \u0000' },
      { role: 'tool', content: '{"result":1}' },
    ),
  ).toBe('Tell me about flamingos');
  expect(of({ prompt: 'A film\nof a fox' })).toBe('A film of a fox');
});

test('a preview joins the texts of parts, and names those that are none', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  expect(
    said({ role: 'user', content: [{ type: 'text', text: 'What' }, image, { type: 'text', text: 'is it?' }] }),
  ).toBe('What is it?');
  expect(said({ role: 'user', content: [image] })).toBe('[image_url]');
});

test('a preview is cut after 120 characters, and never within one', () => {
  expect(said({ role: 'user', content: '🦩'.repeat(200) })).toBe(`${'🦩'.repeat(60)}…`);
  expect(said({ role: 'user', content: `x${'🦩'.repeat(200)}` })).toBe(`x${'🦩'.repeat(59)}…`);
  expect(said({ role: 'user', content: `Hi${' '.repeat(500)}there` })).toBe('Hi…');
  expect(said({ role: 'user', content: 'x'.repeat(120) })).toBe('x'.repeat(120));
  expect(said({ role: 'user', content: 'word '.repeat(1_000_000) })?.length).toBeLessThan(130);
});

test('there is no preview where the user said nothing', () => {
  for (const messages of [
    [],
    [{ role: 'system', content: 'x' }],
    [{ role: 'user' }],
    [null, 7],
    [{ role: 'user', content: ' ' }],
  ]) {
    expect(said(...messages)).toBeNull();
  }
});

test('an interrupted call with an own key costs its fee, beside the bill of the provider', () => {
  const figures = { promptTokens: 1, completionTokens: 2, costUsd: 0.04, costKnown: true, durationMs: 7 };
  const record = toRecord('gen-1', { generation: { is_byok: true } });
  const own = toInterruptedRecord({ record, figures: { ...figures, costNanoUsd: 42_000_000, feeNanoUsd: 2_000_000 } });
  expect(own).toMatchObject({
    costNanoUsd: 42_000_000,
    generation: { total_cost: 0.002, usage: 0.002, byok_fee: 0.002, upstream_inference_cost: 0.04 },
  });
  const free = toInterruptedRecord({ record, figures: { ...figures, costNanoUsd: 40_000_000, feeNanoUsd: 0 } });
  expect(free.generation).toMatchObject({ total_cost: 0, upstream_inference_cost: 0.04 });
  expect(free.generation).not.toHaveProperty('byok_fee');
  const { generation } = toInterruptedRecord({ record, figures: { ...figures, costNanoUsd: 40_000_000 } });
  expect(generation).toMatchObject({ total_cost: 0.04, upstream_inference_cost: null });
});
