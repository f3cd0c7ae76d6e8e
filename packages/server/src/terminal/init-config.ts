import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';

import { keyOfPreset } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';

import { guess, readPort, UsageError } from '../process/flags.ts';
import { ownCommand, quote } from '../process/own-command.ts';
import { describeFileError, StartError } from '../process/start-error.ts';

export interface InitOptions {
  readonly file: string;
  /** Names of presets. Undefined: they are asked for, or are those whose keys are set. */
  readonly providers: readonly string[] | undefined;
  readonly port: number | undefined;
  readonly usesPostgres: boolean | undefined;
  readonly asks: boolean;
  readonly force: boolean;
}

/** Where questions are asked. */
export interface AskingTerminal {
  readonly env: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
  /** Undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly close: () => void;
}

const DEFAULT_PORT = 8855;

/** Writes a config file. Throws `StartError` for a file that exists, and `UsageError` for an unknown provider. */
export async function initConfig(options: InitOptions, terminal: AskingTerminal = openTerminal()): Promise<void> {
  const { file, force } = options;
  try {
    const ask = options.asks ? terminal.ask : undefined;
    const found = Object.keys(PRESETS).filter((name) => keyOfPreset(presetOf(name), terminal.env) !== undefined);
    const providers = options.providers ?? (await askProviders(found, ask));
    // Before the next question, so that a mistake is told at once.
    const entries = providers.map(toEntry);
    const port = options.port ?? (await askPort(ask));
    const usesPostgres =
      options.usesPostgres ?? (await askYesNo('Keep the data in PostgreSQL, not in files? (y/N) ', ask));
    const config = {
      server: { port },
      ...(usesPostgres && { store: { type: 'postgres', url: 'env:DATABASE_URL' } }),
      providers: entries,
    };
    write(file, `${JSON.stringify(config, null, 2)}\n`, force);
    terminal.write(toAdvice(file, { providers, usesPostgres }, terminal.env));
  } finally {
    terminal.close();
  }
}

function presetOf(name: string) {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  const names = Object.keys(PRESETS);
  throw new UsageError(`There is no provider "${name}".${guess(name, names)}\nThere are: ${names.join(', ')}`);
}

function toEntry(name: string): object {
  const { slug = name, apiKeyEnv, listsModels } = presetOf(name);
  return {
    slug,
    preset: name,
    ...(apiKeyEnv !== null && { apiKey: `env:${apiKeyEnv}` }),
    ...(listsModels && { discoverModels: true }),
  };
}

type Ask = AskingTerminal['ask'];

async function askProviders(found: readonly string[], ask: Ask): Promise<readonly string[]> {
  if (ask === undefined) return found;
  const names = Object.keys(PRESETS).join(', ');
  const preset = found.length === 0 ? 'openai' : found.join(' ');
  const answer = await ask(`Known providers: ${names}\nWhich do you use, with spaces between them? (${preset}) `);
  return (answer.trim() === '' ? preset : answer.trim()).split(/[\s,]+/);
}

async function askPort(ask: Ask): Promise<number> {
  const answer = (await ask?.(`Which port does it listen on? (${DEFAULT_PORT}) `))?.trim() ?? '';
  return answer === '' ? DEFAULT_PORT : readPort(answer);
}

const askYesNo = async (question: string, ask: Ask): Promise<boolean> =>
  /^y/i.test((await ask?.(question))?.trim() ?? '');

function write(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new StartError(`${file} cannot be written: ${describeFileError(cause)}.`, { cause });
    throw new StartError(`${file} exists already. Choose another one with --file, or replace it with --force.`, {
      cause,
    });
  }
}

function toAdvice(
  file: string,
  { providers, usesPostgres }: { readonly providers: readonly string[]; readonly usesPostgres: boolean },
  env: NodeJS.ProcessEnv,
): string {
  const missing = providers.map(presetOf).flatMap((preset) => {
    const address = preset.baseUrl === null ? (preset.ownAddress?.env ?? []) : [];
    const key = keyOfPreset(preset, env) === undefined ? (preset.apiKeyEnv ?? []) : [];
    return [key, address].flat().filter((name) => !env[name]);
  });
  const unset = [...missing, ...(usesPostgres && !env['DATABASE_URL'] ? ['DATABASE_URL'] : [])];
  const first = unset.length === 0 ? '' : `Set ${unset.join(', ')}, then `;
  const none = providers.length === 0 ? 'No provider was found: add one to the file, or in the web UI. ' : '';
  const config = `--config ${quote(file)}`;
  const migrate = usesPostgres ? `  ${ownCommand()} migrate ${config}\n` : '';
  const keys = `\nThen create a key for your apps:\n\n  ${ownCommand()} keys create --name NAME ${config}\n`;
  return `${file} is written. ${none}${first === '' ? 'Start' : `${first}start`} the gateway:\n\n${migrate}  ${ownCommand()} serve ${config}\n${keys}`;
}

function openTerminal(): AskingTerminal {
  const { stdin, stdout, env } = process;
  const reader = stdin.isTTY ? createInterface({ input: stdin, output: process.stderr }) : undefined;
  return {
    env,
    write: (text) => void stdout.write(text),
    ask: reader && ((question) => reader.question(question)),
    close: () => reader?.close(),
  };
}
