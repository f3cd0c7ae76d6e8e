import { expect, test } from 'vitest';

import { createPricedEndpoints } from '../../../../test/support/gateways/priced-endpoints.ts';
import { estimateUsage } from '../calls/texts.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { ChatDelta, Usage } from '../wire/chat-chunk.ts';
import { createCompletionAccumulator } from './completion-accumulator.ts';
import { createTurnMeter } from './spending.ts';

const [ENDPOINT] = createPricedEndpoints({ acme: 1 }) as [Endpoint];
const HELLO = [{ role: 'user' as const, content: 'Hello' }];

function setUp(messages = HELLO, maxLength = Infinity) {
  const completion = createCompletionAccumulator({ maxLength });
  const meter = createTurnMeter({ endpoint: ENDPOINT, messages, completion });
  const observe = (delta: ChatDelta, usage?: Usage): void =>
    completion.observe([
      { choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null }], ...(usage && { usage }) },
    ]);
  return { completion, observe, tokens: () => meter.read(0).usage.completion_tokens, read: () => meter.read(0) };
}

test.each([
  ['English', 'The quick brown fox. '],
  ['Chinese', '敏捷的棕色狐狸。'],
  ['mixed', 'Straße 🎈 漢字 and so on. '],
])('measures %s text piece by piece as an estimate of the whole does', (_name, piece) => {
  const { completion, observe, tokens } = setUp();
  for (let count = 1; count <= 300; count += 1) {
    observe(count % 2 === 0 ? { content: piece } : { reasoning: piece });
    if (count % 10 !== 0) continue;
    const whole = estimateUsage(HELLO, completion.weigh()).completion_tokens;
    expect(Math.abs(tokens() - whole)).toBeLessThanOrEqual(1);
  }
});

test('goes on measuring where text is put aside or not kept, within a tenth', () => {
  for (const maxLength of [Infinity, 0]) {
    const { completion, observe, tokens } = setUp(HELLO, maxLength);
    for (let count = 0; count < 50; count += 1) {
      observe({ content: 'abcd'.repeat(5000) });
      if (count % 3 === 0) tokens();
    }
    expect(completion.text.length).toBeLessThan(completion.textLength);
    expect(tokens()).toBeGreaterThan(225_000);
    expect(tokens()).toBeLessThan(275_000);
  }
});

test('measures the calls of tools', () => {
  const { observe, tokens } = setUp();
  const call = { index: 0, id: 'c1', type: 'function' as const, function: { name: 'look', arguments: '"'.repeat(36) } };
  observe({ tool_calls: [call] });
  expect(tokens()).toBe(10);
});

test('estimates a long prompt by samples, like its whole within a tenth', () => {
  const messages = Array.from({ length: 20 }, (_, index) => ({
    role: 'user' as const,
    content: (index % 2 === 0 ? 'Where is the fox? ' : '狐狸在哪里？').repeat(2000),
  }));
  const whole = estimateUsage(messages, 0).prompt_tokens;
  const { prompt_tokens: measured } = setUp(messages).read().usage;
  expect(Math.abs(measured - whole)).toBeLessThan(whole / 10);
});

test('believes what upstream has counted, but not a completion that is shorter than what has come', () => {
  const { observe, read } = setUp();
  observe({ content: 'abcd'.repeat(100) }, { prompt_tokens: 70, completion_tokens: 1, total_tokens: 71 });
  expect(read()).toMatchObject({
    usage: { prompt_tokens: 70, completion_tokens: 100, total_tokens: 170, estimated: true },
    cost: { nanoUsd: 170_000 },
  });
});
