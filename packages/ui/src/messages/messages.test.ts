import { expect, test } from 'vitest';

import { chooseLanguage, LANGUAGES, MESSAGES, type Messages } from './index.ts';

test.each([
  { setting: 'system', system: ['de-AT', 'en-US'], language: 'de' },
  { setting: 'system', system: ['fr-FR', 'de_DE'], language: 'de' },
  { setting: 'system', system: ['fr', 'ja'], language: 'en' },
  { setting: 'system', system: [], language: 'en' },
  { setting: 'en', system: ['de'], language: 'en' },
  { setting: 'de', system: ['en'], language: 'de' },
] as const)('where $setting is set and the system speaks $system, the language is $language', (given) => {
  expect(chooseLanguage(given.setting, given.system)).toBe(given.language);
});

test('a language that lacks a text, or has one more, does not compile', () => {
  const { figures: _figures, ...lacking } = MESSAGES.de;
  // @ts-expect-error One is missing.
  const incomplete: Messages = lacking;
  // @ts-expect-error There is no such one.
  const more: Messages = { ...MESSAGES.de, further: '' };
  expect([incomplete, more]).toHaveLength(2);
});

test('a number takes the form that its language has for it', () => {
  expect(MESSAGES.en.quit.question(1)).toBe('1 request is still running.');
  expect(MESSAGES.en.quit.question(0)).toBe('0 requests are still running.');
  expect(MESSAGES.de.quit.question(1)).toBe('1 Anfrage läuft noch.');
  expect(MESSAGES.de.quit.question(2)).toBe('2 Anfragen laufen noch.');
});

/** Every text of a language by its path; one with parameters is called with a mark for each. */
function listTexts(messages: object, path = ''): [string, string][] {
  return Object.entries(messages).flatMap(([name, value]): [string, string][] => {
    const at = `${path}${name}`;
    if (typeof value === 'function') return [[at, String(value('7', '8', '9'))]];
    return typeof value === 'string' ? [[at, value]] : listTexts(value as object, `${at}.`);
  });
}

test.each(LANGUAGES)('%s has every text, with every number and name in it', (language) => {
  const english = listTexts(MESSAGES.en);
  const texts = listTexts(MESSAGES[language]);
  expect(texts.map(([path]) => path).toSorted()).toEqual(english.map(([path]) => path).toSorted());
  const marksOf = (text: string): string[] => (text.match(/[789]/g) ?? []).toSorted();
  const byPath = new Map(texts);
  for (const [path, text] of english) {
    expect(byPath.get(path)?.trim(), path).not.toBe('');
    expect({ path, marks: marksOf(byPath.get(path) ?? '') }).toEqual({ path, marks: marksOf(text) });
  }
});
