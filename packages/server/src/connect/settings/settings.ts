import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** Where an entry stands in a file of settings: the names of its tables, then its own; a number within a list. */
export type SettingsPath = readonly (string | number)[];

/** A format of settings files whose texts are changed in place, so that comments and layout stay where they can. */
export interface SettingsFormat {
  /** The settings as plain data; a text without any is an empty table. Throws `SettingsFileError` with the place of the mistake. */
  readonly parse: (text: string) => unknown;
  /** Sets an entry; tables above it are made where they are missing. */
  readonly set: (text: string, path: SettingsPath, value: unknown) => string;
  /** Adds an element to the end of a list, which is made where it is missing. */
  readonly append: (text: string, path: SettingsPath, value: unknown) => string;
  readonly remove: (text: string, path: SettingsPath) => string;
}

/** A file of settings that is left as it is. Its message says why, and what to do. */
export class SettingsFileError extends Error {
  override readonly name = 'SettingsFileError';
}

/** The names of a path as people write them. */
const showPath = (path: SettingsPath): string => path.join('.');

/** An entry that was written, as it is remembered: by the hash of its value, because that may be a key. */
export interface WrittenEntry {
  readonly type: 'set' | 'append';
  readonly path: SettingsPath;
  readonly valueHash: string;
}

type SettingsData =
  | string
  | number
  | boolean
  | null
  | readonly SettingsData[]
  | { readonly [name: string]: SettingsData };
type SettingsTable = { readonly [name: string]: SettingsData };

interface SettingsEntry {
  readonly type: WrittenEntry['type'];
  readonly path: readonly string[];
  readonly value: SettingsData;
}

interface Added {
  readonly text: string;
  readonly entries: readonly WrittenEntry[];
}

/**
 * Adds the entries of one text of settings to another one, and nothing else. Elements are added to lists. Throws
 * `SettingsFileError` where the other text cannot be read, or has something else where a table or list must be.
 */
export function addSettings(
  format: SettingsFormat,
  text: string,
  { snippet, keeps = [] }: { readonly snippet: string; readonly keeps?: readonly string[] | undefined },
): Added {
  const current = parseTable(format, text);
  const entries = listEntries(parseTable(format, snippet)).filter(
    ({ type, path, value }) =>
      !(keeps.includes(path[0] ?? '') && current[path[0] ?? ''] !== undefined) &&
      !(type === 'set' && isDeepStrictEqual(findAt(current, path), value)),
  );
  const changed = entries.reduce((before, entry) => addEntry(format, before, entry), text);
  return { text: changed, entries: entries.map(({ value, ...rest }) => ({ ...rest, valueHash: hashOf(value) })) };
}

/**
 * Takes entries out of a text again, or gives them the value that they had in `before`. What is no longer as it was
 * written is left alone, and counted.
 */
export function removeSettings(
  format: SettingsFormat,
  text: string,
  { entries, before }: { readonly entries: readonly WrittenEntry[]; readonly before: string },
): { readonly text: string; readonly left: readonly string[] } {
  const original = parseTable(format, before);
  const left: string[] = [];
  const changed = entries.toReversed().reduce((now, entry) => {
    const removed = removeEntry(format, now, entry, original);
    if (removed === undefined) left.push(showPath(entry.path));
    return removed ?? now;
  }, text);
  return { text: changed, left };
}

function parseTable(format: SettingsFormat, text: string): SettingsTable {
  const data = toData(format, text);
  if (isTable(data)) return data;
  throw new SettingsFileError(`it contains ${describeData(data)} where a table of settings is expected`);
}

/** What `parse` returns, as plain data that can be compared. */
const toData = (format: SettingsFormat, text: string): SettingsData =>
  JSON.parse(JSON.stringify(format.parse(text))) as SettingsData;

function listEntries(table: SettingsTable, above: readonly string[] = []): readonly SettingsEntry[] {
  return Object.entries(table).flatMap(([name, value]): readonly SettingsEntry[] => {
    const path = [...above, name];
    if (isList(value)) return value.map((element) => ({ type: 'append', path, value: element }));
    return isTable(value) ? listEntries(value, path) : [{ type: 'set', path, value }];
  });
}

function addEntry(format: SettingsFormat, text: string, { type, path, value }: SettingsEntry): string {
  const data = parseTable(format, text);
  for (const [at] of path.slice(1).entries()) expectTable(findAt(data, path.slice(0, at + 1)), path.slice(0, at + 1));
  const found = findAt(data, path);
  if (type === 'append') {
    const list = found ?? [];
    if (!isList(list))
      throw new SettingsFileError(`${showPath(path)} is ${describeData(list)}, where a list is expected`);
    return checkChange(format, format.append(text, path, value), replaceAt(data, path, [...list, value]), path);
  }
  if (isTable(found) || isList(found)) {
    throw new SettingsFileError(`${showPath(path)} is ${describeData(found)}, where one value is expected`);
  }
  return checkChange(format, format.set(text, path, value), replaceAt(data, path, value), path);
}

/** Undefined where the entry is no longer as it was written. */
function removeEntry(
  format: SettingsFormat,
  text: string,
  { type, path, valueHash }: WrittenEntry,
  original: SettingsTable,
): string | undefined {
  const data = parseTable(format, text);
  const found = findAt(data, path);
  if (type === 'append') {
    const at = isList(found) ? found.findLastIndex((element) => hashOf(element) === valueHash) : -1;
    if (at === -1 || !isList(found)) return undefined;
    const removed = format.remove(text, [...path, at]);
    return prune(
      format,
      checkChange(format, removed, replaceAt(data, path, found.toSpliced(at, 1)), path),
      path,
      original,
    );
  }
  if (found === undefined || hashOf(found) !== valueHash) return undefined;
  const previous = findAt(original, path);
  if (previous !== undefined)
    return checkChange(format, format.set(text, path, previous), replaceAt(data, path, previous), path);
  const removed = checkChange(format, format.remove(text, path), replaceAt(data, path, undefined), path);
  return prune(format, removed, path.slice(0, -1), original);
}

/** Removes tables and lists that are empty now and were not there before. */
function prune(format: SettingsFormat, text: string, path: SettingsPath, original: SettingsTable): string {
  if (path.length === 0) return text;
  const data = parseTable(format, text);
  const found = findAt(data, path);
  const isEmpty = (isList(found) || isTable(found)) && Object.keys(found).length === 0;
  if ((!isEmpty && found !== undefined) || findAt(original, path) !== undefined) return text;
  const pruned = isEmpty
    ? checkChange(format, format.remove(text, path), replaceAt(data, path, undefined), path)
    : text;
  return prune(format, pruned, path.slice(0, -1), original);
}

/** No text is written that does not say exactly what was meant. */
function checkChange(format: SettingsFormat, text: string, expected: SettingsData, path: SettingsPath): string {
  const isMeant = (): boolean => {
    try {
      return isDeepStrictEqual(dropEmpty(toData(format, text)), dropEmpty(expected));
    } catch {
      return false;
    }
  };
  if (isMeant()) return text;
  throw new SettingsFileError(`${showPath(path)} is written in a way that cannot be changed safely`);
}

/** Tables without entries are the same as none, as TOML makes them by the way. */
function dropEmpty(data: SettingsData): SettingsData | undefined {
  if (isList(data)) return data.map((element) => dropEmpty(element) ?? {});
  if (!isTable(data)) return data;
  const kept = Object.entries(data).flatMap(([name, value]) => {
    const inner = dropEmpty(value);
    return inner === undefined ? [] : [[name, inner] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function findAt(data: SettingsData | undefined, path: SettingsPath): SettingsData | undefined {
  return path.reduce<SettingsData | undefined>(
    (at, name) => (isTable(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    data,
  );
}

function replaceAt(data: SettingsData, [name, ...rest]: SettingsPath, value: SettingsData | undefined): SettingsData {
  if (name === undefined) return value ?? {};
  const table = isTable(data) ? data : {};
  if (rest.length > 0) return { ...table, [name]: replaceAt(table[name] ?? {}, rest, value) };
  const others = Object.fromEntries(Object.entries(table).filter(([other]) => other !== name));
  return value === undefined ? others : { ...others, [name]: value };
}

function expectTable(data: SettingsData | undefined, path: SettingsPath): void {
  if (data === undefined || isTable(data)) return;
  throw new SettingsFileError(`${showPath(path)} is ${describeData(data)}, where a table is expected`);
}

const isList = (data: SettingsData | undefined): data is readonly SettingsData[] => Array.isArray(data);
const isTable = (data: SettingsData | undefined): data is SettingsTable =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

function describeData(data: SettingsData): string {
  if (data === null) return 'null';
  if (isList(data)) return 'a list';
  return isTable(data) ? 'a table' : `a ${typeof data === 'string' ? 'text' : typeof data}`;
}

const hashOf = (value: SettingsData): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
