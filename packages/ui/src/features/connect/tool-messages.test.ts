import { CLIENTS, findObstacle } from '@model-gateway/clients';
import { afterEach, describe, expect, test } from 'vitest';

import { setLocale } from '../../messages/locale.ts';
import { inToolWords } from './tool-messages.ts';

afterEach(() => setLocale('en', 'local', []));

const CONNECTION = {
  baseUrl: 'http://127.0.0.1:8855/api/v1',
  apiKey: 'sk-gw-v1-0815',
  model: { id: 'a/b', contextTokens: 32_000, outputTokens: 8000, readsImages: false, callsTools: true },
};

describe.each(CLIENTS)('$name', ({ about, steps, modelNames, notes }) => {
  const sentences = [about, ...steps.map(({ title }) => title), modelNames, ...notes];

  test('has its steps and notes in German', () => {
    setLocale('de', 'local', []);
    expect(sentences.filter((words) => inToolWords()(words) === words)).toEqual([]);
  });

  test('keeps what is typed or chosen in the tool as it is called there', () => {
    const codes = new Set(steps.flatMap((step) => (step.type === 'fields' ? step.toFields(CONNECTION) : [])).flat());
    setLocale('de', 'local', []);
    for (const code of codes) expect(inToolWords()(code)).toBe(code);
  });

  test('is told as it stands in the table in English', () => {
    for (const words of sentences) expect(inToolWords()(words)).toBe(words);
  });
});

test.each([
  ['container', 'http://127.0.0.1:8855/api/v1'],
  ['cloud', 'http://127.0.0.1:8855/api/v1'],
  ['cloud', 'http://192.168.1.7:8855/api/v1'],
  ['cloud', 'http://gateway.example.com/api/v1'],
] as const)('what keeps a tool in a %s from %s is told in German', (callsFrom, baseUrl) => {
  const obstacle = findObstacle(callsFrom, baseUrl) ?? '';
  expect(obstacle.length).toBeGreaterThan(100);
  setLocale('de', 'local', []);
  expect(inToolWords()(obstacle)).toContain('Gateway');
  expect(inToolWords()(obstacle)).not.toBe(obstacle);
});
