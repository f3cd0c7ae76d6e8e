import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from 'jsonc-parser';

import { SettingsFileError, type SettingsFormat, type SettingsPath } from './settings-format.ts';

/** JSON, with the comments and trailing commas that editors and agents take. */
export const jsonSettings: SettingsFormat = {
  parse: parseJson,
  set: edit,
  append: (text, path, value) => {
    const list = findAt(parseJson(text), path);
    return Array.isArray(list) ? edit(text, [...path, list.length], value, true) : edit(text, path, [value]);
  },
  remove: (text, path) => edit(text, path, undefined),
};

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value = parse(text, errors, { allowTrailingComma: true }) as unknown;
  const [first] = errors;
  if (first === undefined) return value;
  const lines = text.slice(0, first.offset).split('\n');
  throw new SettingsFileError(
    `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1} is no JSON (${printParseErrorCode(first.error)})`,
  );
}

function edit(text: string, path: SettingsPath, value: unknown, isArrayInsertion = false): string {
  const isBlank = text.trim() === '';
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const insertSpaces = !indent.startsWith('\t');
  const edits = modify(isBlank ? '{}' : text, [...path], value, {
    isArrayInsertion,
    formattingOptions: {
      insertSpaces,
      tabSize: insertSpaces ? indent.length : 1,
      eol: text.includes('\r\n') ? '\r\n' : '\n',
    },
  });
  const changed = applyEdits(isBlank ? '{}' : text, edits);
  return isBlank ? `${changed}\n` : changed;
}

function findAt(value: unknown, path: SettingsPath): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string | number, unknown> | undefined)?.[name], value);
}
