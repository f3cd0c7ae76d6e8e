import { type Parsed, readFlags, readPort, toHelp } from '../process/flags.ts';
import type { InitOptions } from '../terminal/init-config.ts';

const HELP = `Usage: model-gateway init [flags]

Asks a few questions and writes a config file. Keys stay where they are: the file names their variables.

  --file FILE        the file to write (gateway.config.json)
  --provider NAME    a provider by the name of its preset, e.g. openai; repeat for more than one
  --port N           port to listen on (8855)
  --postgres         keep the data in PostgreSQL, at the address in DATABASE_URL
  -y, --yes          ask nothing: take the flags, and the providers whose keys are set
  --force            replace a file that exists
`;

const FLAGS = {
  file: { type: 'string' },
  provider: { type: 'string', multiple: true },
  port: { type: 'string' },
  postgres: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  force: { type: 'boolean' },
} as const;

/** Reads the arguments after `init`. Throws `UsageError`. */
export function parseInit(args: readonly string[]): Parsed<'init', InitOptions> {
  const values = readFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { file = 'gateway.config.json', provider: providers, port, postgres, yes = false, force = false } = values;
  return {
    type: 'init',
    options: {
      file,
      providers,
      port: port === undefined ? undefined : readPort(port),
      usesPostgres: postgres,
      asks: !yes,
      force,
    },
  };
}
