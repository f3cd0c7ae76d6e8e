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
    // Of no known form: a token of one's own service.
    () => `${many('0123456789abcdef', 40)}`,
    () => `tok${many(ALNUM, 36)}`,
  ];
  return { pick, secret: (at: number): string => kinds[at % kinds.length]?.() ?? '' };
}

test('of five hundred secrets and personal data in requests and responses none is left', () => {
  const { pick, secret } = createMaker(36);
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
});

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
