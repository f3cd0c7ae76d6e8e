import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import process from 'node:process';

import { parse } from 'yaml';

import { findStore, isDatabase, type NamedStore, withStore } from '../open/find-store.ts';
import { type StoreFlags, UsageError } from '../process/flags.ts';
import { ownCommand, quote } from '../process/own-command.ts';
import { describeFileError } from '../process/start-error.ts';
import { toTable } from '../terminal/table.ts';
import { type Applied, applyPlan, writePlannedConfig } from './apply-plan.ts';
import { planHelicone } from './helicone.ts';
import { planLitellm } from './litellm.ts';
import { planOpenrouter } from './openrouter.ts';
import type { ForeignFile, ForeignGateway, MovePlan, PlanLine, PlanMove } from './plan.ts';
import { planPortkey } from './portkey.ts';

export interface ForeignImportOptions extends StoreFlags {
  readonly from: ForeignGateway;
  readonly files: readonly string[];
  /** The config file that is written. */
  readonly out: string;
  /** False: nothing is written, only told. */
  readonly applies: boolean;
  /** Whether keys are made for those whose text is not in the files. */
  readonly makesKeys: boolean;
  readonly force: boolean;
}

const PLANS: Readonly<Record<ForeignGateway, PlanMove>> = {
  litellm: planLitellm,
  portkey: planPortkey,
  helicone: planHelicone,
  openrouter: planOpenrouter,
};

/**
 * Moves the set-up of another gateway here: prints what becomes of it, and with `applies` writes a config file, and
 * workspaces, keys and guardrails into the store. New keys are printed once, on stdout, as the report is. Never prints
 * what it reads as a secret.
 */
export async function importForeign(
  options: ForeignImportOptions,
  write: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<void> {
  const plan = PLANS[options.from](await Promise.all(options.files.map(readForeign)));
  write(describePlan(plan));
  const unmade = plan.keys.filter(({ hash }) => hash === null).length;
  if (!options.applies) {
    write(`\nNothing is written yet. Run it again with --apply${unmade > 0 ? ' (and --new-keys)' : ''}.\n`);
    return;
  }
  const store = await findStore(options);
  const section = await toStoreSection(store, options);
  const text = `${JSON.stringify({ store: section, ...plan.config }, null, 2)}\n`;
  // Before the store, so that a file in the way leaves everything as it was.
  const done = await writePlannedConfig(options.out, text, options.force);
  const applied = await withStore(store, (opened) => applyPlan(plan, opened, options));
  write(`\n${options.out} is ${done}.\n${describeApplied(applied)}`);
  const left = unmade > 0 && !options.makesKeys;
  if (left)
    write(`Keys of which only a name or a hash is known are made with --new-keys; up to ${unmade} are missing.\n`);
  const start = plan.variables.length === 0 ? 'Start' : 'Set the variables above, then start';
  write(`${start} it: ${ownCommand()} serve --config ${quote(options.out)}\n`);
}

async function readForeign(path: string): Promise<ForeignFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${describeFileError(error)}`);
  });
  try {
    // JSON is YAML, too. Strings stay strings: keys may look like dates and numbers.
    return { name: basename(path, extname(path)), tree: parse(text.replace(/^\uFEFF/, ''), { logLevel: 'error' }) };
  } catch (error) {
    // The message of the parser shows the line, which may hold a secret.
    const [at] = (error as { linePos?: readonly { line: number }[] }).linePos ?? [];
    throw new UsageError(`${path} is neither JSON nor YAML${at === undefined ? '' : `: see line ${at.line}`}.`);
  }
}

/** The store as the written config names it: relative to that file. */
async function toStoreSection(named: NamedStore, { config, out }: ForeignImportOptions): Promise<object> {
  if (!isDatabase(named)) return { type: 'json', dir: relative(dirname(resolve(out)), named.store.dir) || '.' };
  // As the file has it, because what was read holds the address with its password.
  const { store } = JSON.parse(await readFile(config ?? '', 'utf8')) as { store: object };
  return store;
}

const HEAD = ['KIND', 'THERE', 'HERE', 'NOTE'];

function describePlan({ lines, variables }: MovePlan): string {
  const toRow = ({ what, name, becomes, note }: PlanLine) => [what, oneLine(name), becomes ?? '-', oneLine(note)];
  const moved = lines.filter(({ becomes }) => becomes !== null);
  const left = lines.filter(({ becomes }) => becomes === null);
  return [
    moved.length === 0 ? '' : toTable(HEAD, moved.map(toRow)),
    left.length === 0
      ? ''
      : `\nNo counterpart:\n\n${toTable(
          ['KIND', 'THERE', 'WHY'],
          left.map((line) => [line.what, oneLine(line.name), oneLine(line.note)]),
        )}`,
    variables.length === 0
      ? ''
      : `\nVariables to set:\n\n${toTable(
          ['VARIABLE', 'HOLDS'],
          variables.map(({ name, holds }) => [name, oneLine(holds)]),
        )}`,
    '\nWhat was spent there is not counted here: limits begin anew.\n',
  ].join('');
}

/** Names come from others, and may hold what a terminal acts on. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 160);

function describeApplied({ workspaces, keys, guardrails, kept, made }: Applied): string {
  const counts = `New: workspaces ${workspaces}, keys ${keys}, guardrails ${guardrails}. There before, and unchanged: ${kept}.\n`;
  if (made.length === 0) return counts;
  return `${counts}\nNew keys, shown once:\n\n${toTable(
    ['NAME', 'KEY'],
    made.map(({ name, key }) => [oneLine(name), key]),
  )}\n`;
}
