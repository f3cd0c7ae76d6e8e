import process from 'node:process';

import { VERSION } from '@model-gateway/core/foundation/version';

import { toCompletion } from './commands/completion.ts';
import { checkFixtures, saveFixture } from './commands/fixtures.ts';
import { createKey } from './commands/keys.ts';
import { migrate } from './commands/migrate.ts';
import { type Command, listCommands, parseCommand } from './commands/parse-command.ts';
import { replay } from './commands/replay.ts';
import { createEndOfReader, ignoreBrokenPipes } from './process/signals.ts';
import type { ServeOptions } from './serve/plan-start.ts';

// These are names, because importing the classes would load every package before the command is parsed.
/** Errors that the user can correct: a wrong command line or configuration. */
const USAGE_ERRORS: ReadonlySet<string> = new Set([
  'UsageError',
  'ConfigError',
  'SecretsKeyError',
  'DatabaseUrlError',
  'RedisUrlError',
]);
/** Errors whose cause is outside the program. */
const OUTSIDE_ERRORS: ReadonlySet<string> = new Set([
  'StartError',
  'DirectoryInUseError',
  'UnusableDirectoryError',
  'FixtureError',
  'SettingsFileError',
  'UnusableDatabaseError',
  'JournalNotTakenError',
]);

/** Commands that only show something, so they end when nobody reads it: `logs -f | head -1`. */
const SHOWING: ReadonlySet<Command['type']> = new Set<Command['type']>([
  'help',
  'fixtures',
  'audit-verify',
  'audit-export',
  'keys-list',
  'status',
  'models',
  'logs',
  'chat',
  'completion',
]);

async function run(args: readonly string[]): Promise<void> {
  const command = parseCommand(args);
  // Others go on: the gateway has calls to serve, and a change must not be left half done.
  ignoreBrokenPipes(SHOWING.has(command.type) ? createEndOfReader() : () => undefined);
  // What commands need is loaded on demand, so that help and error messages are printed at once.
  switch (command.type) {
    case 'help':
      return void process.stdout.write(command.text);
    case 'version':
      return void process.stdout.write(`${VERSION}\n`);
    case 'serve':
      return serve(command.options);
    case 'replay':
      return replay(command.options);
    case 'fixtures':
      return checkFixtures(command.options);
    case 'fixtures-save':
      return saveFixture(command.options);
    case 'fixtures-from':
      return (await import('./commands/fixtures-from.ts')).makeFixturesFrom(command.options);
    case 'doctor':
      return (await import('./doctor/doctor.ts')).doctor(command.options);
    case 'catalog-update':
      return (await import('./terminal/update-catalog.ts')).updateCatalog(command.options);
    case 'rerun':
      return (await import('./reruns/run-rerun.ts')).rerun(command.options);
    case 'audit-verify':
      return (await import('./commands/audit.ts')).verifyAudit(command.options);
    case 'audit-export':
      return (await import('./commands/audit.ts')).exportAudit(command.options);
    case 'migrate':
      return migrate(command.options);
    case 'import':
      return (await import('./moving/import-data.ts')).importData(command.options);
    case 'import-foreign':
      return (await import('./foreign/import-foreign.ts')).importForeign(command.options);
    case 'export':
      return (await import('./moving/export-data.ts')).exportData(command.options);
    case 'connect':
      return (await import('./connect/connect.ts')).connect(command.options);
    case 'keys-create':
      return createKey(command.options);
    case 'keys-list':
      return (await import('./terminal/show.ts')).listKeys(command.options);
    case 'keys-revoke':
      return (await import('./terminal/show.ts')).revokeKey(command.options);
    case 'status':
      return (await import('./terminal/show.ts')).showStatus(command.options);
    case 'models':
      return (await import('./terminal/show.ts')).showModels(command.options);
    case 'logs':
      return (await import('./terminal/follow-calls.ts')).showCalls(command.options);
    case 'chat':
      return (await import('./terminal/chat.ts')).chat(command.options);
    case 'init':
      return (await import('./terminal/init-config.ts')).initConfig(command.options);
    case 'completion':
      return void process.stdout.write(toCompletion(command.options.shell, listCommands()));
  }
}

async function serve(options: ServeOptions): Promise<void> {
  if (options.workers > 1) {
    const { default: cluster } = await import('node:cluster');
    if (cluster.isPrimary) return (await import('./workers/run-workers.ts')).runWorkers(options);
    // The channel to the process that has started this one would keep it alive.
    return (await import('./serve/serve.ts')).serve(options).catch((error: unknown) => {
      fail(error);
      process.exit();
    });
  }
  return (await import('./serve/serve.ts')).serve(options);
}

function fail(error: unknown): void {
  const name = error instanceof Error ? error.name : '';
  const text = error instanceof Error ? describeError(error) : String(error);
  process.exitCode = USAGE_ERRORS.has(name) ? 2 : 1;
  process.stderr.write(`${text.trimEnd()}\n`);
}

function describeError(error: Error): string {
  if (USAGE_ERRORS.has(error.name) || OUTSIDE_ERRORS.has(error.name)) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full; free some space (${error.message})`;
  return error.stack ?? error.message;
}

run(process.argv.slice(2)).catch(fail);
