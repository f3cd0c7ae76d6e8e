import { describe, expect, test } from 'vitest';

import { jsonSettings, tomlSettings, yamlSettings } from './formats.ts';
import { addSettings, removeSettings, SettingsFileError, type SettingsFormat } from './settings.ts';

const CLAUDE = '{ "env": { "URL": "http://gateway/api", "TOKEN": "secret" } }';
const CODEX = 'model = "acme/one"\n\n[providers.gate-way]\nurl = "http://gateway"\nkey = "K"\n';
const CONTINUE = 'name: Gateway\nmodels:\n  - name: "one"\n    roles:\n      - chat\n';

/** Adds and takes out again; `edit` is what the user does in between. */
function roundTrip(
  format: SettingsFormat,
  before: string,
  options: { snippet: string; keeps?: readonly string[] },
  edit: (text: string) => string = (text) => text,
) {
  const { text, entries } = addSettings(format, before, options);
  return { added: text, removed: removeSettings(format, edit(text), { entries, before }) };
}

const expectRefusal = (format: SettingsFormat, text: string, snippet: string, reason: RegExp): void => {
  expect(() => addSettings(format, text, { snippet })).toThrow(SettingsFileError);
  expect(() => addSettings(format, text, { snippet })).toThrow(reason);
};

describe('JSON', () => {
  test('keeps comments, trailing commas, indentation and other entries, and gets them back', () => {
    const before =
      '// mine\n{\n\t"theme": "dark", // so\n\t"env": {\n\t\t"DEBUG": "1",\n\t},\n\t/* end */ "z": [1, 2],\n}\n';
    const { added, removed } = roundTrip(jsonSettings, before, { snippet: CLAUDE });
    expect(jsonSettings.parse(added)).toEqual({
      theme: 'dark',
      env: { DEBUG: '1', URL: 'http://gateway/api', TOKEN: 'secret' },
      z: [1, 2],
    });
    for (const kept of ['// mine', '// so', '/* end */', '\n\t\t"URL"']) expect(added).toContain(kept);
    expect(jsonSettings.parse(removed.text)).toEqual(jsonSettings.parse(before));
    for (const kept of ['// mine', '// so', '/* end */']) expect(removed.text).toContain(kept);
    expect(removed.left).toEqual([]);
  });

  test.each(['', '  \n', '{}', '{ "env": {} }\r\n', '{"env":{"TOKEN":"old"},"a":null}'])(
    'takes %j and gets its content back',
    (before) => {
      const { added, removed } = roundTrip(jsonSettings, before, { snippet: CLAUDE });
      expect(jsonSettings.parse(added)).toMatchObject({ env: { TOKEN: 'secret', URL: 'http://gateway/api' } });
      expect(jsonSettings.parse(removed.text)).toEqual(jsonSettings.parse(before));
    },
  );

  test('what the user has changed since is left alone, what they have added stays', () => {
    const { removed } = roundTrip(jsonSettings, '{}', { snippet: CLAUDE }, (text) =>
      text.replace('"secret"', '"mine", "MORE": "1"'),
    );
    expect(jsonSettings.parse(removed.text)).toEqual({ env: { TOKEN: 'mine', MORE: '1' } });
    expect(removed.left).toEqual(['env.TOKEN']);
  });

  test('lists grow by an element, and lose that one alone', () => {
    const before = '{ "models": [ { "id": "a" } ] }';
    const { added, removed } = roundTrip(jsonSettings, before, { snippet: '{"models":[{"id":"b"}]}' }, (text) =>
      text.replace('[', '[ { "id": "c" }, '),
    );
    expect(jsonSettings.parse(added)).toEqual({ models: [{ id: 'a' }, { id: 'b' }] });
    expect(jsonSettings.parse(removed.text)).toEqual({ models: [{ id: 'c' }, { id: 'a' }] });
  });

  test.each([
    ['{ "env": ', /line 1, column \d+ is not valid JSON/],
    ['{\n  "a": 1\n  "b": 2\n}', /line 3, column 3 is not valid JSON/],
    ['{} {}', /is not valid JSON/],
    ['// nothing but this', /is not valid JSON/],
    ['[1]', /a list where a table/],
    ['"text"', /a text where a table/],
    ['null', /null where a table/],
    ['{ "env": "x" }', /env is a text, where a table is expected/],
    ['{ "env": null }', /env is null, where a table is expected/],
    ['{ "env": { "TOKEN": ["x"] } }', /env\.TOKEN is a list, where one value is expected/],
    ['{ "env": { "A": "1" }, "env": { "B": "1" } }', /cannot be changed safely/],
  ])('%s is not touched', (text, reason) => expectRefusal(jsonSettings, text, CLAUDE, reason));
});

describe('YAML', () => {
  test('keeps comments and other entries, adds to lists, and leaves the names that the file has', () => {
    const before =
      '# mine\nname: Work # so\nmodels:\n  # first\n  - name: mine\n    key: "12"\nx: &a { b: 1 }\ny: *a\n';
    const { added, removed } = roundTrip(yamlSettings, before, { snippet: CONTINUE, keeps: ['name'] });
    expect(yamlSettings.parse(added)).toMatchObject({ name: 'Work', models: [{ name: 'mine' }, { name: 'one' }] });
    for (const kept of ['# mine', '# so', '# first', '&a', '*a']) expect(added).toContain(kept);
    expect(removed.text).toBe(before);
  });

  test.each(['', '# only a comment\n', 'models: []\n', 'models:\n  - name: two\r\n', 'a: 1\n'])(
    'takes %j and gets its content back',
    (before) => {
      const { added, removed } = roundTrip(yamlSettings, before, { snippet: CONTINUE });
      expect(yamlSettings.parse(added)).toMatchObject({
        models: expect.arrayContaining([{ name: 'one', roles: ['chat'] }]),
      });
      expect(yamlSettings.parse(removed.text) ?? {}).toEqual(yamlSettings.parse(before) ?? {});
      expect(removed.text.includes('# only')).toBe(before.includes('# only'));
    },
  );

  test('takes a list without elements for one', () => {
    const { text } = addSettings(yamlSettings, 'models:\n', { snippet: CONTINUE, keeps: ['name'] });
    expect(yamlSettings.parse(text)).toEqual({ name: 'Gateway', models: [{ name: 'one', roles: ['chat'] }] });
  });

  test.each([
    ['a: [', /is not valid YAML/],
    ['a: 1\na: 2\n', /is not valid YAML/],
    ['--- \na: 1\n---\nb: 2\n', /is not valid YAML/],
    ['~\n', /null where a table/],
    ['- 1\n', /a list where a table/],
    ['models: text\n', /models is a text, where a list is expected/],
    ['x: &a [1]\nmodels: *a\n', /cannot be changed safely/],
  ])('%j is not touched', (text, reason) => expectRefusal(yamlSettings, text, CONTINUE, reason));
});

describe('TOML', () => {
  test('keeps comments, order and other tables, with new entries of the root above the first table', () => {
    const before =
      '# mine\napproval = "never" # so\n\n# of the table\n[tools]\nweb = true\n\n[[list]]\na = """\n[x]\nmodel = 1\n"""\n';
    const { added, removed } = roundTrip(tomlSettings, before, { snippet: CODEX });
    expect(added).toBe(
      '# mine\napproval = "never" # so\nmodel = "acme/one"\n\n# of the table\n[tools]\nweb = true\n\n' +
        '[[list]]\na = """\n[x]\nmodel = 1\n"""\n\n[providers.gate-way]\nurl = "http://gateway"\nkey = "K"\n',
    );
    expect(tomlSettings.parse(removed.text)).toEqual(tomlSettings.parse(before));
    expect(removed.text.trimEnd()).toBe(before.trimEnd());
  });

  test('gives an entry its former value back, and keeps the comment behind it', () => {
    const before = 'model = "old" # best\n[providers."gate-way"] # by hand\nkey = \'OLD\'\n';
    const { added, removed } = roundTrip(
      tomlSettings,
      before,
      { snippet: CODEX },
      (text) => `${text}\n[more]\na = 1\n`,
    );
    expect(added).toContain('model = "acme/one" # best');
    expect(tomlSettings.parse(added)).toMatchObject({ providers: { 'gate-way': { url: 'http://gateway', key: 'K' } } });
    expect(tomlSettings.parse(removed.text)).toEqual({
      model: 'old',
      providers: { 'gate-way': { key: 'OLD' } },
      more: { a: 1 },
    });
  });

  test.each(['', '\n', 'a = 1', '# only\n', '[t]\nb = 1\r\n', 'providers.other.url = "x"\n'])(
    'takes %j and gets its content back',
    (before) => {
      const { added, removed } = roundTrip(tomlSettings, before, { snippet: CODEX });
      expect(tomlSettings.parse(added)).toMatchObject({ model: 'acme/one', providers: { 'gate-way': { key: 'K' } } });
      expect(tomlSettings.parse(removed.text)).toEqual(tomlSettings.parse(before));
    },
  );

  test.each([
    ['a = ', /line 1, column \d+ is not valid TOML/],
    ['model = 1\nmodel = 2\n', /line 2, column \d+ is not valid TOML/],
    ['providers = "x"\n', /providers is a text, where a table is expected/],
    ['providers = { other = 1 }\n', /cannot be changed safely/],
    ['model = """\nold\n"""\n', /cannot be changed safely/],
    ['[model]\na = 1\n', /model is a table, where one value is expected/],
    ['a = """\n[providers.gate-way]\n"""\n', /cannot be changed safely/],
  ])('%j is not touched', (text, reason) => expectRefusal(tomlSettings, text, CODEX, reason));
});
