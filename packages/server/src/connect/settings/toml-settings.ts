import { isDeepStrictEqual } from 'node:util';

import { parse, stringify, TomlError } from 'smol-toml';

import { SettingsFileError, type SettingsFormat, type SettingsPath } from './settings-format.ts';

/**
 * TOML, by lines: no package changes it in place. Whoever calls this compares the result with what was meant, so that a
 * layout which these lines do not see is refused and not damaged.
 */
export const tomlSettings: SettingsFormat = {
  parse: parseToml,
  set: (text, path, value) => setLine(text, path, value),
  append: (_text, path) => {
    throw new SettingsFileError(`lists such as ${path.join('.')} are not written in TOML`);
  },
  remove: removeLine,
};

function parseToml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.split('\n');
    throw new SettingsFileError(`line ${error.line}, column ${error.column} is no TOML (${reason})`);
  }
}

interface Table {
  /** The line of its header; -1 for the root. */
  readonly header: number;
  /** The first line that is no longer its own. */
  readonly end: number;
}

function setLine(text: string, path: SettingsPath, value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  const tablePath = path.slice(0, -1);
  const line = stringify({ [String(path.at(-1))]: value }).trimEnd();
  const table = findTable(lines, tablePath);
  if (table === undefined) {
    while (lines.at(-1)?.trim() === '') lines.pop();
    const header = `[${tablePath.map((name) => toBareKey(String(name))).join('.')}]`;
    return [...lines, ...(lines.length === 0 ? [] : ['']), header, line, ''].join(eol);
  }
  const found = findKey(lines, table, String(path.at(-1)));
  if (found !== undefined) return lines.with(found, `${line}${readComment(lines[found] ?? '')}`).join(eol);
  const at = lastOwnLine(lines, table) + 1;
  // A table follows the entries of the root, after an empty line.
  const gap = table.header === -1 && at === 0 && lines.some((one) => one.trim() !== '') ? [''] : [];
  const end = lines.length === 0 ? [''] : [];
  return lines.toSpliced(at, 0, line, ...gap, ...end).join(eol);
}

function removeLine(text: string, path: SettingsPath): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const own = findTable(lines, path);
  // A table without entries, which is how one is left once its last entry has been removed.
  if (own !== undefined && own.header >= 0) return lines.toSpliced(own.header, 1).join(eol);
  const table = findTable(lines, path.slice(0, -1));
  const found = table && findKey(lines, table, String(path.at(-1)));
  return found === undefined ? text : lines.toSpliced(found, 1).join(eol);
}

function findTable(lines: readonly string[], path: SettingsPath): Table | undefined {
  const headers = lines.flatMap((line, at) => (/^\s*\[/.test(line) ? [at] : []));
  const header = path.length === 0 ? -1 : headers.find((at) => isDeepStrictEqual(readHeader(lines[at] ?? ''), path));
  if (header === undefined) return undefined;
  return { header, end: headers.find((at) => at > header) ?? lines.length };
}

/** The names in `[one."two"]`; undefined for what is not that simple. */
function readHeader(line: string): readonly string[] | undefined {
  const [, names] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? [];
  return names?.split('.').map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

function findKey(lines: readonly string[], { header, end }: Table, key: string): number | undefined {
  const at = lines.findIndex((line, index) => {
    if (index <= header || index >= end) return false;
    const [, name = ''] = /^\s*([\w-]+|"[^"\\]*"|'[^']*')\s*=/.exec(line) ?? [];
    return name.replace(/^(["'])(.*)\1$/, '$2') === key;
  });
  return at === -1 ? undefined : at;
}

/** The comment behind a value that is a plain text, a number or a boolean. */
function readComment(line: string): string {
  const [, comment = ''] = /=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#]*?)(\s*#.*)?$/.exec(line) ?? [];
  return comment;
}

function lastOwnLine(lines: readonly string[], { header, end }: Table): number {
  let last = end - 1;
  while (last > header && /^\s*(#.*)?$/.test(lines[last] ?? '')) last -= 1;
  return last;
}

const toBareKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));
