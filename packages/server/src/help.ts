/** What `model-gateway --help` prints. */
export const HELP = `Usage: model-gateway <command> [flags]

  serve          run the gateway
  keys create    issue a key
  doctor         check the way to each provider, and say what to do

  --help         of a command, too: model-gateway serve --help
  --version
`;

/** What `--help` after a command prints. */
export const COMMAND_HELP = {
  serve: `Usage: model-gateway serve [flags]

  --config FILE      JSON config file. Without one, providers come from variables such as OPENAI_API_KEY;
                     with none of those set either, the gateway runs in demo mode
  --host ADDRESS     address to listen on (127.0.0.1)
  --port N           port to listen on, 0 for a free one (8855)
  --data-dir DIR     where keys and generations are kept (./data, in demo mode ./data/demo)
  --demo             demo mode: recorded answers, fixed keys, no network; loopback only
  --fixtures DIR     demo mode with the recorded answers of this directory
  --log-level LEVEL  trace, debug, info, warn, error, fatal or silent (info)

When it listens, it prints one line of JSON on stdout; everything else goes to stderr.
`,
  keys: `Usage: model-gateway keys create --name NAME [flags]

  --name NAME        what the key is for
  --management       a key that administers, but cannot call models
  --limit USD        what may be spent with the key
  --data-dir DIR     the data directory of the gateway (./data)
  --config FILE      or the config file that names it

The new key is printed on stdout, once; only its SHA-256 is kept. A running gateway accepts it at once.
`,
  doctor: `Usage: model-gateway doctor [flags]

  --config FILE      the config file of the gateway. Without one, providers come from variables such as OPENAI_API_KEY
  --call             also make one call of a few tokens at each provider, which costs a little

Checks each provider in layers (address, name, connection, certificate, key, call), says what to do about the first
that fails, and ends with 1 if there is one. Keys are sent to their providers and printed nowhere.
`,
} as const;
