import type { RecordOptions } from '../open/open-fixtures.ts';
import {
  LOG_LEVELS,
  type LogLevel,
  type Parsed,
  readFlags,
  readInteger,
  readPort,
  STORE_FLAGS,
  toHelp,
  UsageError,
} from '../process/flags.ts';
import type { ServeOptions } from '../serve/plan-start.ts';

const HELP = `Usage: model-gateway serve [flags]

  --config FILE      JSON config file. Without one, providers come from variables such as OPENAI_API_KEY;
                     with none of those set either, and no provider set up in the UI, it is the demo
  --host ADDRESS     address to listen on (127.0.0.1)
  --port N           port to listen on, 0 for a free one (8855)
  --data-dir DIR     directory for keys and generations (./data, in demo mode ./data/demo)
  --demo             demo mode: recorded responses, fixed keys, no network; loopback only
  --real             with --demo: its second model is llama.cpp, if llama-server or its npm package is installed
  --no-demo          never the demo: start without providers, to set them up in the UI
  --fixtures DIR     demo mode with the recorded responses of this directory
  --record DIR       record responses of providers, without secrets, for replaying
  --record-mode M    record-all: everything again (default); record-missing: what DIR does not answer yet
  --record-at PLACE  upstream: what providers answer (default); edge: what this gateway answers
  --trust-clock      drop what is too old although the clock is ahead of the data by more than a day
  --workers N        processes that share the port (1); more need a PostgreSQL store
  --log-level LEVEL  trace, debug, info, warn, error, fatal or silent (info)

When it listens, it prints one line of JSON on stdout; everything else goes to stderr.
`;

const FLAGS = {
  ...STORE_FLAGS,
  host: { type: 'string' },
  port: { type: 'string' },
  fixtures: { type: 'string' },
  record: { type: 'string' },
  'record-mode': { type: 'string' },
  'record-at': { type: 'string' },
  demo: { type: 'boolean' },
  real: { type: 'boolean' },
  'no-demo': { type: 'boolean' },
  'trust-clock': { type: 'boolean' },
  workers: { type: 'string' },
  'log-level': { type: 'string' },
} as const;

/** What is recorded. */
export const RECORD_MODES = ['record-all', 'record-missing'] as const;
/** Where it is recorded. */
export const RECORD_PLACES = ['upstream', 'edge'] as const;

/** Reads the arguments after `serve`. Throws `UsageError`. */
export function parseServe(args: readonly string[]): Parsed<'serve', ServeOptions> {
  const values = readFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const workers = values.workers === undefined ? 1 : readInteger('--workers', values.workers, 1, 1024);
  const isDemo = values.demo === true || values.fixtures !== undefined;
  if (isDemo && values.config !== undefined) {
    throw new UsageError('Demo mode (--demo, --fixtures) cannot be combined with --config.');
  }
  const noDemo = values['no-demo'] === true;
  if (isDemo && noDemo) throw new UsageError('--no-demo cannot be combined with --demo or --fixtures.');
  const real = values.real === true;
  if (real && (values.demo !== true || values.fixtures !== undefined)) {
    throw new UsageError('--real gives the demo a real engine: use it with --demo, without --fixtures.');
  }
  const record = readRecord(values);
  if (workers > 1 && isDemo) throw new UsageError('Demo mode runs in one process: omit --workers.');
  if (workers > 1 && record !== null) {
    throw new UsageError('Only one process can record: omit --record or --workers.');
  }
  if (isDemo && record !== null) throw new UsageError('Demo mode calls no provider, so there is nothing to --record.');
  return {
    type: 'serve',
    options: {
      config: values.config,
      host: values.host,
      port: values.port === undefined ? undefined : readPort(values.port),
      dataDir: values['data-dir'],
      fixtures: values.fixtures,
      demo: isDemo,
      noDemo,
      real,
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
  const mode = readChoice('--record-mode', values['record-mode'], RECORD_MODES);
  const at = readChoice('--record-at', values['record-at'], RECORD_PLACES);
  if (values.record !== undefined) return { dir: values.record, mode, at };
  const isAlone = values['record-mode'] !== undefined || values['record-at'] !== undefined;
  if (isAlone) throw new UsageError('--record-mode and --record-at require --record DIR.');
  return null;
}

/** Reads the value of a flag that is one of a few words. The first is the default. */
export function readChoice<Choice extends string>(
  flag: string,
  text: string | undefined,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const choice = text === undefined ? choices[0] : choices.find((known) => known === text);
  if (choice === undefined) throw new UsageError(`${flag} is ${choices.join(' or ')}, not "${text}".`);
  return choice;
}

/** Reads the value of `--log-level`. */
export function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) throw new UsageError(`--log-level must be one of ${LOG_LEVELS.join(', ')}, not "${text}".`);
  return level;
}
