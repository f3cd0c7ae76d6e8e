import { expect, test } from 'vitest';

import { scrub } from './scrub.ts';

/** Numbers in an order that is the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALNUM = `${LOWER}${LOWER.toUpperCase()}0123456789`;

function createMaker(seed: number) {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[] | string): Item => items[Math.floor(random() * items.length)] as Item;
  const many = (letters: string, count: number): string =>
    Array.from({ length: count }, () => pick<string>(letters)).join('');
  const digits = (count: number): string => many('0123456789', count);
  const card = (): string => {
    const beginning = `4${digits(14)}`;
    const sum = Array.from(beginning)
      .reverse()
      .reduce((total, digit, at) => {
        const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
        return total + (value > 9 ? value - 9 : value);
      }, 0);
    return `${beginning}${(10 - (sum % 10)) % 10}`;
  };
  const kinds: readonly (() => string)[] = [
    () => `${many(LOWER, 6)}.${many(LOWER, 5)}@${many(LOWER, 7)}.example`,
    () => `sk-proj-${many(ALNUM, 40)}1a`,
    () => `ghp_${many(ALNUM, 36)}`,
    () => `AKIA${many('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
    () => `+1 (${pick(['212', '415', '646'])}) 555-0${digits(3)}`,
    card,
    () => `10.${1 + Math.floor(random() * 200)}.${1 + Math.floor(random() * 200)}.${1 + Math.floor(random() * 200)}`,
    () => `${pick(['512', '219', '078'])}-${pick(['45', '12'])}-${pick(['6789', '1234'])}`,
    // A token of one's own service has no known form.
    () => `${many('0123456789abcdef', 40)}`,
    () => `tok${many(ALNUM, 36)}`,
    () => many(`${ALNUM}-_`, 43),
    () => many(`${ALNUM}/+`, 40),
    () => `${1 + Math.floor(random() * 9)}${digits(8)}:AA${many(`${ALNUM}-_`, 33)}`,
    () => many('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 52),
    () => `fc-${many('0123456789abcdef', 32)}`,
  ];
  return { pick, secret: (at: number): string => kinds[at % kinds.length]?.() ?? '' };
}

test.each([36, 7, 2026, 41])(
  'of five hundred secrets of the seed %i in requests and responses none is left',
  (seed) => {
    const { pick, secret } = createMaker(seed);
    const secrets = Array.from({ length: 500 }, (_, at) => secret(at));
    const places: readonly ((text: string) => object)[] = [
      (text) => ({ messages: [{ role: 'user', content: `Please use ${text}, thanks` }] }),
      (text) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: `x: "${text}"` }] }] }),
      (text) => ({ tools: [{ type: 'function', function: { name: 'f', parameters: { examples: [{ id: text }] } } }] }),
      (text) => ({ tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: JSON.stringify({ q: text }) } }] }),
      (text) => ({ metadata: { note: text } }),
      (text) => ({ input: `curl -H 'authorization: Bearer ${text}' https://api.example` }),
      (text) => ({ system: `line\n${text}\nline` }),
    ];
    const values = secrets.map((text) => pick(places)(text));
    const { value, count } = scrub(values);
    const text = JSON.stringify(value);
    expect(secrets.filter((each) => text.includes(each))).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(500);
  },
);

test('what is none stays: models, ids of calls, paths, words and names of members', () => {
  const value = {
    model: 'anthropic/claude-sonnet-4.5-20260101',
    tool_calls: [{ id: 'call_00_Xy7Kd93jskLq02mZpQ', function: { name: 'read_file' } }],
    usage: { ephemeral_5m_input_tokens: 3 },
    content: 'See packages/core/src/guardrails/filters/scrub.test.ts, or https://example.com/docs/getting-started-2',
    style: 'internationalization-of-user-interfaces',
  };
  expect(scrub(value)).toEqual({ value, count: 0 });
});

test('a UUID is a secret where a word says so, and otherwise names a thing', () => {
  const id = '550e8400-e29b-41d4-a716-446655440000';
  const secrets = [{ token: id }, { apiKey: id }, `api key: ${id}`, `{"client_secret": "${id}"}`, `X-Api-Key=${id}`];
  expect(JSON.stringify(secrets.map((each) => scrub(each).value))).not.toContain(id);
  const others = [{ id }, { user_id: id }, `order ${id} is late`, `/files/${id}/content`];
  expect(scrub(others)).toEqual({ value: others, count: 0 });
});

test('an id stays in the members for ids, and what only begins like one does not', () => {
  const ids = [
    { tool_call_id: 'call_00_Xy7Kd93jskLq02mZpQ' },
    { id: 'toolu_01A09q90qw90lq917835lq9' },
    { id: 'call_550e8400-e29b-41d4-a716-446655440000' },
    { tool_call_id: 'chatcmpl-tool-0123456789abcdef0123456789abcdef' },
    { previous_response_id: 'gen-1795280411-31ca6bafd6792d19bf5f018f3687550a' },
  ];
  expect(scrub(ids)).toEqual({ value: ids, count: 0 });
  const keys = ['fc-0123456789abcdef0123456789abcdef', 'call_Xy7Kd93jskLq02mZpQ8w'];
  expect(scrub([keys, { id: keys[0] }]).value).toEqual([['[SECRET]', '[SECRET]'], { id: '[SECRET]' }]);
});

test('the number of a card is taken out of numbers, and times and seeds stay', () => {
  const times = { created: 1_767_225_600_123, at: 1_767_225_600_123_456, seed: 9_007_199_254_740_991, half: 4.5 };
  expect(scrub({ card: 4_111_111_111_111_111, ...times })).toEqual({
    value: { card: '[CREDIT_CARD]', ...times },
    count: 1,
  });
});

test('a credential of a remote server is taken out, whatever it looks like', () => {
  const of = (token: string) => ({ mcp_servers: [{ url: 'https://mcp.example/sse', authorization_token: token }] });
  expect(scrub(of('hunter two'))).toEqual({ value: of('[SECRET]'), count: 1 });
});

test.each([
  'import { LanguageModelV4CallOptions, SharedV4ProviderMetadata } from "@ai-sdk/provider";',
  'expect(total.tokensPerSecondP50).toBeLessThanOrEqual(writeBigUInt64LE);',
  'logs/2026-01-15T10-22-33-log and packages/ui/bundle/assets/settings-screen-DyJ7fOc3.js',
  'Qwen/Qwen2.5-VL-72B-Instruct-AWQ, bartowski/DeepSeek-R1-Distill-Qwen-32B-GGUF and TheBloke/Mixtral-8x7B-Instruct-v0.1',
  'us.anthropic.claude-3-5-sonnet-20241022-v2:0 in eu-central-1, see https://docs.example.com/v2/getting-started_2.html',
  'libz.so.1 => /usr/lib/x86_64-linux-gnu/libz.so.1, libxkbcommon-x11-0_1.4.0-1, tests/e2e/fixtures/pdf/xlsx-2.xlsx',
  'przeksztalcenie-zrodlo-2024',
  'We spent twenty-five minutes on state-of-the-art, well-documented end-to-end-tests.',
])('prose and code stay: %s', (text) => {
  expect(scrub(text)).toEqual({ value: text, count: 0 });
});
