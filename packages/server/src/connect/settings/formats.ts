import { isDeepStrictEqual } from 'node:util';

import { applyEdits, modify, type ParseError, parse as parseJsonc, printParseErrorCode } from 'jsonc-parser';
import { parse as parseTomlText, stringify, TomlError } from 'smol-toml';
import { type Document, isSeq, parseDocument } from 'yaml';

import { SettingsFileError, type SettingsFormat, type SettingsPath } from './settings.ts';

/** JSON, with the comments and trailing commas that editors and agents take. */
export const jsonSettings: SettingsFormat = {
  parse: parseJson,
  set: editJson,
  append: (text, path, value) => {
    const list = findInJson(parseJson(text), path);
    return Array.isArray(list) ? editJson(text, [...path, list.length], value, true) : editJson(text, path, [value]);
  },
  remove: (text, path) => editJson(text, path, undefined),
};

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value = parseJsonc(text, errors, { allowTrailingComma: true }) as unknown;
  const [first] = errors;
  if (first === undefined) return value;
  const lines = text.slice(0, first.offset).split('\n');
  throw new SettingsFileError(
    `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1} is not valid JSON (${printParseErrorCode(first.error)})`,
  );
}

function editJson(text: string, path: SettingsPath, value: unknown, isArrayInsertion = false): string {
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

function findInJson(value: unknown, path: SettingsPath): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string | number, unknown> | undefined)?.[name], value);
}

/** YAML. Comments stay; long lines are not folded. */
export const yamlSettings: SettingsFormat = {
  parse: (text) => {
    const document = readYaml(text);
    return document.contents === null ? {} : (document.toJS() as unknown);
  },
  set: (text, path, value) => changeYaml(text, (document) => document.setIn(path, document.createNode(value))),
  append: (text, path, value) =>
    changeYaml(text, (document) => {
      const node = document.createNode(value);
      if (isSeq(document.getIn(path))) document.addIn(path, node);
      else document.setIn(path, document.createNode([value]));
    }),
  remove: (text, path) => changeYaml(text, (document) => void document.deleteIn(path)),
};

function readYaml(text: string): Document.Parsed {
  const document = parseDocument(text);
  const [first] = document.errors;
  if (first === undefined) return document;
  const [place] = first.linePos ?? [];
  const where = place === undefined ? 'it' : `line ${place.line}, column ${place.col}`;
  throw new SettingsFileError(`${where} is not valid YAML (${first.code})`);
}

function changeYaml(text: string, apply: (document: Document.Parsed) => void): string {
  const document = readYaml(text);
  apply(document);
  const changed = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? changed.replaceAll(/\r?\n/g, '\r\n') : changed;
}

/**
 * TOML, by lines: no package changes it in place. The caller compares the result with what was meant, so that a
 * layout which these lines do not see is refused and not damaged.
 */
export const tomlSettings: SettingsFormat = {
  parse: parseToml,
  set: (text, path, value) => setTomlLine(text, path, value),
  append: (_text, path) => {
    throw new SettingsFileError(`lists such as ${path.join('.')} are not written in TOML`);
  },
  remove: removeTomlLine,
};

function parseToml(text: string): unknown {
  try {
    return parseTomlText(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.split('\n');
    throw new SettingsFileError(`line ${error.line}, column ${error.column} is not valid TOML (${reason})`);
  }
}

interface TomlTable {
  /** The line of its header; -1 for the root. */
  readonly header: number;
  /** The first line that is no longer its own. */
  readonly end: number;
}

function setTomlLine(text: string, path: SettingsPath, value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  const tablePath = path.slice(0, -1);
  const line = stringify({ [String(path.at(-1))]: value }).trimEnd();
  const table = findTomlTable(lines, tablePath);
  if (table === undefined) {
    while (lines.at(-1)?.trim() === '') lines.pop();
    const header = `[${tablePath.map((name) => toBareKey(String(name))).join('.')}]`;
    return [...lines, ...(lines.length === 0 ? [] : ['']), header, line, ''].join(eol);
  }
  const found = findTomlKey(lines, table, String(path.at(-1)));
  if (found !== undefined) return lines.with(found, `${line}${readTomlComment(lines[found] ?? '')}`).join(eol);
  const at = lastTomlLineOf(lines, table) + 1;
  // A table follows the entries of the root, after an empty line.
  const gap = table.header === -1 && at === 0 && lines.some((one) => one.trim() !== '') ? [''] : [];
  const end = lines.length === 0 ? [''] : [];
  return lines.toSpliced(at, 0, line, ...gap, ...end).join(eol);
}

function removeTomlLine(text: string, path: SettingsPath): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const own = findTomlTable(lines, path);
  // A table without entries, which is how one is left once its last entry has been removed.
  if (own !== undefined && own.header >= 0) return lines.toSpliced(own.header, 1).join(eol);
  const table = findTomlTable(lines, path.slice(0, -1));
  const found = table && findTomlKey(lines, table, String(path.at(-1)));
  return found === undefined ? text : lines.toSpliced(found, 1).join(eol);
}

function findTomlTable(lines: readonly string[], path: SettingsPath): TomlTable | undefined {
  const headers = lines.flatMap((line, at) => (/^\s*\[/.test(line) ? [at] : []));
  const header =
    path.length === 0 ? -1 : headers.find((at) => isDeepStrictEqual(readTomlHeader(lines[at] ?? ''), path));
  if (header === undefined) return undefined;
  return { header, end: headers.find((at) => at > header) ?? lines.length };
}

/** The names in `[one."two"]`; undefined for what is not that simple. */
function readTomlHeader(line: string): readonly string[] | undefined {
  const [, names] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? [];
  return names?.split('.').map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

function findTomlKey(lines: readonly string[], { header, end }: TomlTable, key: string): number | undefined {
  const at = lines.findIndex((line, index) => {
    if (index <= header || index >= end) return false;
    const [, name = ''] = /^\s*([\w-]+|"[^"\\]*"|'[^']*')\s*=/.exec(line) ?? [];
    return name.replace(/^(["'])(.*)\1$/, '$2') === key;
  });
  return at === -1 ? undefined : at;
}

/** The comment behind a value that is a plain text, a number or a boolean. */
function readTomlComment(line: string): string {
  const [, comment = ''] = /=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#]*?)(\s*#.*)?$/.exec(line) ?? [];
  return comment;
}

function lastTomlLineOf(lines: readonly string[], { header, end }: TomlTable): number {
  let last = end - 1;
  while (last > header && /^\s*(#.*)?$/.test(lines[last] ?? '')) last -= 1;
  return last;
}

const toBareKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));
