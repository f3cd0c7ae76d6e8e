import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

import { suggestName } from '@model-gateway/core/foundation/nearest-name';

/** Reads the flags of a command, and `--help`. Throws `UsageError` with the help where they are not those. */
export function readFlags<Flags extends ParseArgsOptionsConfig>(args: readonly string[], flags: Flags, help: string) {
  return parse(args, flags, { help, allowPositionals: false }).values;
}

/** As `readFlags`, for a command that also takes one word; undefined without one. */
export function readWordAndFlags<Flags extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: Flags,
  help: string,
) {
  const { values, positionals } = parse(args, flags, { help, allowPositionals: true });
  const [word, more] = positionals;
  if (more !== undefined) throw new UsageError(`Unexpected "${more}": put what has spaces in quotes.\n\n${help}`);
  return { values, word };
}

/** As `readFlags`, for a command that also takes any number of words. */
export function readWordsAndFlags<Flags extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: Flags,
  help: string,
) {
  const { values, positionals: words } = parse(args, flags, { help, allowPositionals: true });
  return { values, words };
}

function parse<Flags extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: Flags,
  { help, allowPositionals }: { readonly help: string; readonly allowPositionals: boolean },
) {
  const options = { help: { type: 'boolean', short: 'h' }, ...flags } as const;
  try {
    const parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals });
    refuseEmptyPaths(parsed.values);
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Only the first sentence of Node's message helps; the rest is advice on escaping.
    const [reason = ''] = (error as Error).message.split(/\.\s/);
    const [, flag] = /^Option '(?:-\w, )?(--[^' ]+)[^']*' argument is ambiguous/.exec(reason) ?? [];
    if (flag !== undefined)
      throw new UsageError(`${flag} needs a value; write one that begins with "-" as ${flag}=VALUE.\n\n${help}`);
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(reason) ?? [];
    const meant = unknown === undefined ? '' : guess(unknown, Object.keys(options), '--');
    throw new UsageError(`${reason.replace(/\.$/, '')}.${meant}\n\n${help}`);
  }
}

const PATH_FLAGS = ['data-dir', 'config', 'record', 'fixtures', 'dir', 'against', 'file', 'from', 'to', 'requests'];

/** An empty path would be the working directory, which an unset variable of a shell must not choose. */
function refuseEmptyPaths(values: Readonly<Record<string, unknown>>): void {
  const empty = PATH_FLAGS.find((flag) => values[flag] === '');
  if (empty !== undefined) throw new UsageError(`--${empty} is empty: give it a path, or omit it.`);
}

/** A sentence that names the word that was probably meant, after a space; empty where none is near. */
export function guess(word: string, known: readonly string[], prefix = ''): string {
  const meant = suggestName(word, known);
  return meant === undefined ? '' : ` Did you mean "${prefix}${meant}"?`;
}

/** Whether a word asks for help, where a command takes another word than a flag. */
export const asksForHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

/** Flags that say which store is meant. */
export const STORE_FLAGS = {
  config: { type: 'string' },
  'data-dir': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/** What they say. */
export interface StoreFlags {
  /** The config file that names the store, unless a directory is given. */
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
}

/** Reads the value of a flag. Throws `UsageError`, as the others do. */
export function readInteger(flag: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${flag} must be a whole number from ${least} to ${most}, not "${text}".`);
}

export const readPort = (text: string): number => readInteger('--port', text, 0, 65_535);

/** The value of `--limit`; `others` says what else it may be. */
export function readAmount(text: string, others = ''): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(
    `--limit must be an amount in USD, e.g. 10 or 0.50${others === '' ? '' : `,${others}`}, not "${text}".`,
  );
}

/** The help that was asked for. */
export interface Help {
  readonly type: 'help';
  readonly text: string;
}

/** A command that was understood, or its help where that was asked for. */
export type Parsed<Type extends string, Options> = Help | { readonly type: Type; readonly options: Options };

export const toHelp = (text: string): Help => ({ type: 'help', text });

/** From what is least important on. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An invalid command line. Its message says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
