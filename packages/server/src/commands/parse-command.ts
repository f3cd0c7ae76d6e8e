import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

import { COMMAND_HELP, HELP } from './help.ts';

/** An invalid command line. Its message says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface ServeOptions {
  readonly config: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly dataDir: string | undefined;
  readonly fixtures: string | undefined;
  readonly demo: boolean;
  /** Whether it starts without any provider where there is none, and not as the demo. */
  readonly noDemo: boolean;
  /** Whether the operator says that the clock of this machine is right. */
  readonly trustsClock: boolean;
  readonly record: RecordOptions | null;
  /** Processes that share the port. */
  readonly workers: number;
  readonly logLevel: LogLevel;
}

/** Directory for recordings of upstreams' or the gateway's responses. */
export interface RecordOptions {
  readonly dir: string;
  readonly mode: 'record-all' | 'record-missing';
  readonly at: 'upstream' | 'edge';
}

export interface ReplayOptions {
  readonly dir: string;
  readonly port: number;
  /** Undefined: a new one at every start. */
  readonly apiKey: string | undefined;
  readonly speed: 'instant' | 'human' | number;
  readonly allowsLoopbackWebhooks: boolean;
}

export interface FixturesOptions {
  readonly action: 'check' | 'lint';
  readonly dir: string;
}

export interface SaveFixtureOptions {
  /** The generation's id. */
  readonly id: string;
  readonly dir: string;
  /** Base URL of the gateway that stored the generation. */
  readonly api: string;
  readonly key: string;
}

export interface KeysCreateOptions {
  /** The config file that names the store, unless a directory is given. */
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  readonly name: string;
  readonly management: boolean;
  readonly limitUsd: number | null;
}

export interface ConnectOptions extends Pick<KeysCreateOptions, 'config' | 'dataDir'> {
  /** Undefined: list the tools. */
  readonly tool: string | undefined;
  readonly action: 'show' | 'write' | 'undo';
  readonly model: string | undefined;
  /** A month; null is none, undefined what fits the model. */
  readonly limitUsd: number | null | undefined;
  /** Ends with `/api/v1`. */
  readonly url: string | undefined;
}

export interface DoctorOptions {
  readonly config: string | undefined;
  /** Where providers are stored that were set up; by default as the config says. */
  readonly dataDir: string | undefined;
  /** Whether to make a call at each provider as well. */
  readonly call: boolean;
}

export interface MigrateOptions {
  readonly config: string | undefined;
}

export interface ImportOptions extends MigrateOptions {
  /** A data directory with a JSON-file store, or with the journals of gateways that are gone. */
  readonly from: string;
}

export interface ExportOptions extends MigrateOptions {
  /** A new data directory, or that of a former export. */
  readonly to: string;
}

export type Command =
  | { readonly type: 'help'; readonly text: string }
  | { readonly type: 'version' }
  | { readonly type: 'serve'; readonly options: ServeOptions }
  | { readonly type: 'keys-create'; readonly options: KeysCreateOptions }
  | { readonly type: 'connect'; readonly options: ConnectOptions }
  | { readonly type: 'replay'; readonly options: ReplayOptions }
  | { readonly type: 'fixtures'; readonly options: FixturesOptions }
  | { readonly type: 'fixtures-save'; readonly options: SaveFixtureOptions }
  | { readonly type: 'doctor'; readonly options: DoctorOptions }
  | { readonly type: 'migrate'; readonly options: MigrateOptions }
  | { readonly type: 'import'; readonly options: ImportOptions }
  | { readonly type: 'export'; readonly options: ExportOptions };

const common = { help: { type: 'boolean', short: 'h' } } as const satisfies ParseArgsOptionsConfig;
const storeFlags = {
  ...common,
  config: { type: 'string' },
  'data-dir': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;
const serveFlags = {
  ...storeFlags,
  host: { type: 'string' },
  port: { type: 'string' },
  fixtures: { type: 'string' },
  record: { type: 'string' },
  'record-mode': { type: 'string' },
  'record-at': { type: 'string' },
  demo: { type: 'boolean' },
  'no-demo': { type: 'boolean' },
  'trust-clock': { type: 'boolean' },
  workers: { type: 'string' },
  'log-level': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;
const keysCreateFlags = {
  ...storeFlags,
  name: { type: 'string' },
  management: { type: 'boolean' },
  limit: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;
const connectFlags = {
  ...storeFlags,
  model: { type: 'string' },
  limit: { type: 'string' },
  url: { type: 'string' },
  write: { type: 'boolean' },
  undo: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

const replayFlags = {
  ...common,
  dir: { type: 'string' },
  port: { type: 'string' },
  key: { type: 'string' },
  speed: { type: 'string' },
  'allow-loopback-webhooks': { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;
const fixturesFlags = { ...common, dir: { type: 'string' } } as const satisfies ParseArgsOptionsConfig;
const saveFlags = {
  ...fixturesFlags,
  id: { type: 'string' },
  api: { type: 'string' },
  key: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

const doctorFlags = {
  ...storeFlags,
  call: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

const databaseFlags = { ...common, config: { type: 'string' } } as const satisfies ParseArgsOptionsConfig;
const importFlags = { ...databaseFlags, from: { type: 'string' } } as const satisfies ParseArgsOptionsConfig;
const exportFlags = { ...databaseFlags, to: { type: 'string' } } as const satisfies ParseArgsOptionsConfig;

/** Reads the arguments after `model-gateway`. Throws `UsageError`. */
export function parseCommand(args: readonly string[]): Command {
  const [first, ...rest] = args;
  switch (first) {
    case undefined:
      throw new UsageError(`Say what to do.\n\n${HELP}`);
    case '--help':
    case '-h':
    case 'help':
      return { type: 'help', text: HELP };
    case '--version':
    case '-v':
      return { type: 'version' };
    case 'serve':
      return parseServe(rest);
    case 'keys':
      return parseKeys(rest);
    case 'connect':
      return parseConnect(rest);
    case 'doctor':
      return parseDoctor(rest);
    case 'migrate':
      return parseMigrate(rest);
    case 'import':
      return parseImport(rest);
    case 'export':
      return parseExport(rest);
    case 'replay':
      return parseReplay(rest);
    case 'fixtures':
      return parseFixtures(rest);
    default:
      throw new UsageError(`There is no ${first.startsWith('-') ? 'flag' : 'command'} "${first}".\n\n${HELP}`);
  }
}

function parseServe(args: readonly string[]): Command {
  const values = readFlags('serve', args, serveFlags);
  if (values.help === true) return { type: 'help', text: COMMAND_HELP.serve };
  const workers = values.workers === undefined ? 1 : readInteger('--workers', values.workers, 1, 1024);
  const isDemo = values.demo === true || values.fixtures !== undefined;
  if (isDemo && values.config !== undefined) {
    throw new UsageError('Demo mode (--demo, --fixtures) takes no --config: leave one of them out.');
  }
  const noDemo = values['no-demo'] === true;
  if (isDemo && noDemo) throw new UsageError('--no-demo contradicts --demo and --fixtures: leave one of them out.');
  const record = readRecord(values);
  if (workers > 1 && isDemo) throw new UsageError('Demo mode runs in one process: leave --workers out.');
  if (workers > 1 && record !== null) {
    throw new UsageError('Recordings are written by one process: leave --record or --workers out.');
  }
  if (isDemo && record !== null) throw new UsageError('Demo mode asks nobody, so there is nothing to --record.');
  return {
    type: 'serve',
    options: {
      config: values.config,
      host: values.host,
      port: values.port === undefined ? undefined : readInteger('--port', values.port, 0, 65_535),
      dataDir: values['data-dir'],
      fixtures: values.fixtures,
      demo: isDemo,
      noDemo,
      trustsClock: values['trust-clock'] ?? false,
      record,
      workers,
      logLevel: readLogLevel(values['log-level'] ?? 'info'),
    },
  };
}

function readRecord(values: {
  readonly record?: string | undefined;
  readonly 'record-mode'?: string | undefined;
  readonly 'record-at'?: string | undefined;
}): RecordOptions | null {
  const mode = readChoice('--record-mode', values['record-mode'], ['record-all', 'record-missing']);
  const at = readChoice('--record-at', values['record-at'], ['upstream', 'edge']);
  if (values.record !== undefined) return { dir: values.record, mode, at };
  const isAlone = values['record-mode'] !== undefined || values['record-at'] !== undefined;
  if (isAlone) throw new UsageError('--record-mode and --record-at go with --record DIR, which says where to.');
  return null;
}

function parseReplay(args: readonly string[]): Command {
  const values = readFlags('replay', args, replayFlags);
  if (values.help === true) return { type: 'help', text: COMMAND_HELP.replay };
  const { speed = 'instant' } = values;
  const isSpeed = speed === 'instant' || speed === 'human' || Number(speed) > 0;
  if (!isSpeed) throw new UsageError(`--speed is instant, human or a number above 0, not "${speed}".`);
  return {
    type: 'replay',
    options: {
      dir: values.dir ?? 'fixtures',
      port: values.port === undefined ? 0 : readInteger('--port', values.port, 0, 65_535),
      apiKey: values.key,
      speed: speed === 'instant' || speed === 'human' ? speed : Number(speed),
      allowsLoopbackWebhooks: values['allow-loopback-webhooks'] ?? false,
    },
  };
}

function parseFixtures([action, ...rest]: readonly string[]): Command {
  if (action === '--help' || action === '-h') return { type: 'help', text: COMMAND_HELP.fixtures };
  if (action === 'save') return parseSave(rest);
  if (action !== 'check' && action !== 'lint') {
    throw new UsageError(`Say what to do with fixtures.\n\n${COMMAND_HELP.fixtures}`);
  }
  const { help, dir = 'fixtures' } = readFlags('fixtures', rest, fixturesFlags);
  if (help === true) return { type: 'help', text: COMMAND_HELP.fixtures };
  return { type: 'fixtures', options: { action, dir } };
}

function parseKeys([action, ...rest]: readonly string[]): Command {
  if (action === '--help' || action === '-h') return { type: 'help', text: COMMAND_HELP.keys };
  if (action !== 'create') throw new UsageError(`Say what to do with keys.\n\n${COMMAND_HELP.keys}`);
  const values = readFlags('keys', rest, keysCreateFlags);
  if (values.help === true) return { type: 'help', text: COMMAND_HELP.keys };
  const { name = '', management = false, limit } = values;
  if (name.trim() === '') throw new UsageError('Give the key a name, by which you will recognise it: --name "my app"');
  if (management && limit !== undefined) {
    throw new UsageError('A management key cannot call models, so it takes no --limit.');
  }
  const limitUsd = limit === undefined ? null : readAmount(limit);
  const options = { name, management, limitUsd, config: values.config, dataDir: values['data-dir'] };
  return { type: 'keys-create', options };
}

function parseConnect(args: readonly string[]): Command {
  const isNamed = args[0] !== undefined && !args[0].startsWith('-');
  const values = readFlags('connect', isNamed ? args.slice(1) : args, connectFlags);
  if (values.help === true) return { type: 'help', text: COMMAND_HELP.connect };
  const { config, 'data-dir': dataDir, model, limit, write = false, undo = false } = values;
  if (write && undo) throw new UsageError('--write and --undo contradict each other: leave one of them out.');
  if ((write || undo) && !isNamed) throw new UsageError(`Say which tool.\n\n${COMMAND_HELP.connect}`);
  if (model !== undefined && /^\s*$|\p{Cc}/u.test(model)) throw new UsageError('--model is the id of a model.');
  return {
    type: 'connect',
    options: {
      tool: isNamed ? args[0] : undefined,
      action: write ? 'write' : undo ? 'undo' : 'show',
      model,
      limitUsd: limit === undefined ? undefined : limit === 'none' ? null : readAmount(limit),
      url: values.url === undefined ? undefined : readBaseUrl(values.url),
      config,
      dataDir,
    },
  };
}

/** The address of the API, also where that of the gateway was given. */
function readBaseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\//.test(text)) {
    throw new UsageError(`--url is the address of the gateway, e.g. http://127.0.0.1:8855, not "${text}".`);
  }
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/(\/api(\/v1)?)?\/*$/, '')}/api/v1`;
}

function readAmount(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`--limit is an amount of USD, e.g. 10 or 0.50, not "${text}".`);
}

function parseDoctor(args: readonly string[]): Command {
  const { help, config, 'data-dir': dataDir, call = false } = readFlags('doctor', args, doctorFlags);
  if (help === true) return { type: 'help', text: COMMAND_HELP.doctor };
  return { type: 'doctor', options: { config, dataDir, call } };
}

function parseMigrate(args: readonly string[]): Command {
  const { help, config } = readFlags('migrate', args, databaseFlags);
  if (help === true) return { type: 'help', text: COMMAND_HELP.migrate };
  return { type: 'migrate', options: { config } };
}

function parseImport(args: readonly string[]): Command {
  const { help, config, from } = readFlags('import', args, importFlags);
  if (help === true) return { type: 'help', text: COMMAND_HELP.import };
  if (from === undefined) throw new UsageError(`Say which data directory.\n\n${COMMAND_HELP.import}`);
  return { type: 'import', options: { config, from } };
}

function parseExport(args: readonly string[]): Command {
  const { help, config, to } = readFlags('export', args, exportFlags);
  if (help === true) return { type: 'help', text: COMMAND_HELP.export };
  if (to === undefined) throw new UsageError(`Say which directory.\n\n${COMMAND_HELP.export}`);
  return { type: 'export', options: { config, to } };
}

function readFlags<T extends ParseArgsOptionsConfig>(
  command: keyof typeof COMMAND_HELP,
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    // Only the first sentence of Node's message helps; the rest is advice on escaping.
    const [reason = ''] = (error as Error).message.split('. ');
    throw new UsageError(`${reason.replace(/\.$/, '')}.\n\n${COMMAND_HELP[command]}`);
  }
}

function readInteger(flag: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${flag} is a whole number from ${least} to ${most}, not "${text}".`);
}

function parseSave(args: readonly string[]): Command {
  const values = readFlags('fixtures', args, saveFlags);
  if (values.help === true) return { type: 'help', text: COMMAND_HELP.fixtures };
  const { id, key, dir = 'fixtures', api = 'http://127.0.0.1:8855/api/v1' } = values;
  if (id === undefined) throw new UsageError('Say which generation: --id gen-…, as it stands in its response.');
  if (key === undefined)
    throw new UsageError('Give the key that the generation was made with, or a management key: --key');
  return { type: 'fixtures-save', options: { id, dir, key, api: api.replace(/\/+$/, '') } };
}

/** The first is the default. */
function readChoice<Choice extends string>(
  flag: string,
  text: string | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const choice = text === undefined ? choices[0] : choices.find((known) => known === text);
  if (choice === undefined) throw new UsageError(`${flag} is ${choices.join(' or ')}, not "${text}".`);
  return choice;
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) throw new UsageError(`--log-level is one of ${LOG_LEVELS.join(', ')}, not "${text}".`);
  return level;
}
