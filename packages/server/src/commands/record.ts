import { type Parsed, readFlags, readPort, STORE_FLAGS, toHelp } from '../process/flags.ts';
import type { ServeOptions } from '../serve/plan-start.ts';
import { readChoice, readLogLevel, RECORD_MODES, RECORD_PLACES } from './serve.ts';

const HELP = `Usage: model-gateway record [flags]

  --dir DIR          where the recordings go (./fixtures)
  --mode M           record-all: everything again (default); record-missing: what DIR does not answer yet
  --at PLACE         upstream: what providers answer (default); edge: what this gateway answers
  --config FILE      JSON config file. Without one, providers come from variables such as OPENAI_API_KEY
  --host ADDRESS     address to listen on (127.0.0.1)
  --port N           port to listen on, 0 for a free one (8855)
  --data-dir DIR     directory for keys and generations (./data)
  --trust-clock      drop what is too old although the clock is ahead of the data by more than a day
  --log-level LEVEL  trace, debug, info, warn, error, fatal or silent (info)

Runs the gateway as serve does, never the demo, and records what it is asked, without secrets, for replaying:
"serve --no-demo --record DIR" is the same.
`;

const FLAGS = {
  ...STORE_FLAGS,
  dir: { type: 'string' },
  mode: { type: 'string' },
  at: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'trust-clock': { type: 'boolean' },
  'log-level': { type: 'string' },
} as const;

/** Reads the arguments after `record`: it is `serve` in one process, never in demo mode. Throws `UsageError`. */
export function parseRecord(args: readonly string[]): Parsed<'serve', ServeOptions> {
  const values = readFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { dir = 'fixtures', config, host, port } = values;
  return {
    type: 'serve',
    options: {
      config,
      host,
      port: port === undefined ? undefined : readPort(port),
      dataDir: values['data-dir'],
      fixtures: undefined,
      demo: false,
      // The demo calls no provider, so that it has nothing to record.
      noDemo: true,
      real: false,
      trustsClock: values['trust-clock'] ?? false,
      record: {
        dir,
        mode: readChoice('--mode', values.mode, RECORD_MODES),
        at: readChoice('--at', values.at, RECORD_PLACES),
      },
      workers: 1,
      logLevel: readLogLevel(values['log-level'] ?? 'info'),
    },
  };
}
