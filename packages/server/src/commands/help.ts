export const HELP = `Usage: model-gateway <command> [flags]

  serve          run the gateway
  keys create    issue a key
  connect        set up a tool (Claude Code, Codex, ...) to call the gateway
  replay         answer from recordings alone, for test suites
  fixtures       check recordings, or find what is wrong with a set of them
  migrate        bring the database to this version
  import         take a data directory into the database
  export         copy the database into a data directory
  doctor         check the way to each provider, and say what to do

  --help         of a command, too: model-gateway serve --help
  --version
`;

export const COMMAND_HELP = {
  serve: `Usage: model-gateway serve [flags]

  --config FILE      JSON config file. Without one, providers come from variables such as OPENAI_API_KEY;
                     with none of those set either, and no provider set up in the UI, it is the demo
  --host ADDRESS     address to listen on (127.0.0.1)
  --port N           port to listen on, 0 for a free one (8855)
  --data-dir DIR     where keys and generations are kept (./data, in demo mode ./data/demo)
  --demo             demo mode: recorded responses, fixed keys, no network; loopback only
  --no-demo          never the demo: start without providers, to set them up in the UI
  --fixtures DIR     demo mode with the recorded responses of this directory
  --record DIR       write down what providers answer, without secrets, for replaying
  --record-mode M    record-all: everything anew (default); record-missing: what DIR does not answer yet
  --record-at PLACE  upstream: what providers answer (default); edge: what this gateway answers
  --trust-clock      drop what is too old although the clock is ahead of the data by more than a day
  --workers N        processes that share the port (1); more need a PostgreSQL store
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
  connect: `Usage: model-gateway connect                 list the tools
       model-gateway connect TOOL [flags]    show what a tool needs, with a key of its own
       model-gateway connect TOOL --write    write it into the tool's own file of settings
       model-gateway connect TOOL --undo     take that back, and delete the key

  --model ID         the model that the tool begins with (the account's default, else one with tools and a price)
  --limit USD        what may be spent with the key each month, or none (10 where the price of the model is known)
  --url URL          the address of the gateway, as the tool reaches it (that of the running gateway)
  --data-dir DIR     the data directory of the gateway (./data)
  --config FILE      or the config file that names it

--write leaves everything else in the file as it is and keeps a copy beside it. --undo restores the file to the byte; if
it was changed since, only the gateway's entries are taken out. Without --write nothing is written but the key.
`,
  replay: `Usage: model-gateway replay [flags]

  --dir DIR          the recordings (./fixtures)
  --port N           port to listen on, 127.0.0.1 only (0, a free one)
  --key KEY          the key it accepts (another one at every start)
  --speed SPEED      instant, human (as recorded) or a number: so many times as fast as human (instant)
  --allow-loopback-webhooks
                     deliver webhooks to receivers on this machine

When it listens, it prints one line of JSON on stdout with the address and the key; everything else, also each request
that no recording answers, goes to stderr. It never opens a connection of its own but for those webhooks.
`,
  fixtures: `Usage: model-gateway fixtures check [--dir DIR]
       model-gateway fixtures lint [--dir DIR]
       model-gateway fixtures save --id GENERATION --key KEY [--api URL] [--dir DIR]

  --dir DIR          the recordings (./fixtures)
  --id GENERATION    a stored generation, by the id of its response
  --key KEY          the key that it was made with, or a management key
  --api URL          the gateway that stored it (http://127.0.0.1:8855/api/v1)

check compares the shapes of recorded responses with the schemas of this version and says which side has moved. lint
finds secrets, and cases that never answer. Both end with 1 when they find something. save makes a case of a generation.
`,
  migrate: `Usage: model-gateway migrate --config FILE

  --config FILE      the config file that names the database

Brings the tables to this version and says what it did. A gateway does the same when it starts; several at once are no
harm. There is no way back to an older version but a backup.
`,
  import: `Usage: model-gateway import --from DIR --config FILE

  --from DIR         a data directory: a JSON-file store, or the journal of a gateway that is gone
  --config FILE      the config file that names the database

Copies keys, members, guardrails, settings, generations and what else is there, beside running gateways and as often as
you like: nothing is doubled, and what the database has already stays as it is there. The directory must not be in use.
`,
  export: `Usage: model-gateway export --to DIR --config FILE

  --to DIR           a new data directory, or that of a former export
  --config FILE      the config file that names the database

Copies the database into a JSON-file store, which "serve --data-dir DIR" can use, beside running gateways.
`,
  doctor: `Usage: model-gateway doctor [flags]

  --config FILE      the config file of the gateway. Without one, providers come from variables such as OPENAI_API_KEY
  --data-dir DIR     where the gateway keeps its data, with the providers that were set up in the UI (./data)
  --call             also make one call of a few tokens at each provider, which costs a little

Checks each provider in layers (address, name, connection, certificate, key, call), says what to do about the first
that fails, and ends with 1 if there is one. Keys are sent to their providers and printed nowhere.
`,
} as const;
