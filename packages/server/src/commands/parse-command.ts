import { asksForHelp, guess, type Help, toHelp, UsageError } from '../process/flags.ts';
import { parseAudit } from './audit.ts';
import { parseCatalog } from './catalog.ts';
import { type CompletedCommand, parseCompletion, readCompletions } from './completion.ts';
import { parseConnect } from './connect.ts';
import { parseDoctor } from './doctor.ts';
import { parseExport } from './export.ts';
import { parseFixtures } from './fixtures.ts';
import { parseImport } from './import.ts';
import { parseInit } from './init.ts';
import { parseKeys } from './keys.ts';
import { parseMigrate } from './migrate.ts';
import { parseRecord } from './record.ts';
import { parseReplay } from './replay.ts';
import { parseRerun } from './rerun.ts';
import { parseServe } from './serve.ts';
import { parseChat, parseLogs, parseModels, parseStatus } from './terminal.ts';

const HELP = `Usage: model-gateway <command> [flags]

  serve          run the gateway
  init           write a config file
  status         show whether it runs, what it calls and what was spent
  models         list the models that it serves
  catalog        compare their prices and limits with lists of models, and apply what is new
  chat           talk to a model
  logs           show the latest calls, and follow those that come
  keys           issue, list and revoke keys
  connect        set up a tool (Claude Code, Codex, ...) to call the gateway
  record         run the gateway, and record what it is asked, for replaying
  replay         answer from recordings alone, for test suites
  fixtures       check recordings, or find what is wrong with a set of them
  audit          check the log of changes, or print it
  migrate        bring the database to this version
  import         take a data directory into the database, or the set-up of another gateway
  export         copy the database into a data directory
  rerun          run past calls again against other models, and compare
  doctor         check the way to each provider, and say what to do
  completion     print a completion file for a shell

  --help         of a command, too: model-gateway serve --help
  --version
`;

/** Each reads the arguments after its name. */
const COMMANDS = {
  serve: parseServe,
  keys: parseKeys,
  init: parseInit,
  status: parseStatus,
  models: parseModels,
  catalog: parseCatalog,
  chat: parseChat,
  logs: parseLogs,
  connect: parseConnect,
  record: parseRecord,
  replay: parseReplay,
  fixtures: parseFixtures,
  audit: parseAudit,
  migrate: parseMigrate,
  import: parseImport,
  export: parseExport,
  rerun: parseRerun,
  doctor: parseDoctor,
  completion: parseCompletion,
} as const;

export type Command = Help | { readonly type: 'version' } | ReturnType<(typeof COMMANDS)[keyof typeof COMMANDS]>;

/** Reads the arguments after `model-gateway`. Throws `UsageError`. */
export function parseCommand([first, ...rest]: readonly string[]): Command {
  if (first === undefined) throw new UsageError(`Missing command.\n\n${HELP}`);
  const [topic] = rest;
  if (first === 'help' && topic !== undefined && isCommand(topic)) return COMMANDS[topic](['--help']);
  if (asksForHelp(first) || first === 'help') return toHelp(HELP);
  if (first === '--version' || first === '-v') return { type: 'version' };
  if (isCommand(first)) return COMMANDS[first](rest);
  const kind = first.startsWith('-') ? 'flag' : 'command';
  throw new UsageError(`There is no ${kind} "${first}".${guess(first, Object.keys(COMMANDS))}\n\n${HELP}`);
}

const isCommand = (word: string): word is keyof typeof COMMANDS => Object.hasOwn(COMMANDS, word);

/** Every command with what may follow it, by its own help. */
export const listCommands = (): readonly CompletedCommand[] =>
  Object.entries(COMMANDS).map(([name, parse]) => {
    const parsed = parse(['--help']);
    return readCompletions(name, parsed.type === 'help' ? parsed.text : '');
  });
