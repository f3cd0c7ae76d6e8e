import { expect, test } from 'vitest';

import type { GenerationContent } from '../../wire/generation.ts';
import { toPreview } from './records.ts';

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
