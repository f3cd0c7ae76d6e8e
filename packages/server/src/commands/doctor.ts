import type { DoctorOptions } from '../doctor/doctor.ts';
import { type Parsed, readFlags, STORE_FLAGS, toHelp } from '../process/flags.ts';

const HELP = `Usage: model-gateway doctor [flags]

  --config FILE      the config file of the gateway. Without one, providers come from variables such as OPENAI_API_KEY
  --data-dir DIR     where the gateway keeps its data, with the providers that were set up in the UI (./data)
  --call             also make one call of a few tokens at each provider, which costs a little
  --json             the report as one JSON document on stdout, and the one for people on stderr

Checks each provider in layers (address, name, connection, certificate, key, call), says what to do about the first
that fails, and ends with 1 if there is one, with 2 if the config is wrong. Keys are sent to their providers and
printed nowhere.
`;

const FLAGS = { ...STORE_FLAGS, call: { type: 'boolean' }, json: { type: 'boolean' } } as const;

/** Reads the arguments after `doctor`. Throws `UsageError`. */
export function parseDoctor(args: readonly string[]): Parsed<'doctor', DoctorOptions> {
  const { help, config, 'data-dir': dataDir, call = false, json = false } = readFlags(args, FLAGS, HELP);
  return help === true ? toHelp(HELP) : { type: 'doctor', options: { config, dataDir, call, json } };
}
