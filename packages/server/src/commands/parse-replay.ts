import { type Parsed, readFlags, readPort, toHelp, UsageError } from '../flags.ts';

export interface ReplayOptions {
  readonly dir: string;
  readonly port: number;
  /** Undefined: a new one at every start. */
  readonly apiKey: string | undefined;
  readonly speed: 'instant' | 'human' | number;
  readonly allowsLoopbackWebhooks: boolean;
}

const HELP = `Usage: model-gateway replay [flags]

  --dir DIR          the recordings (./fixtures)
  --port N           port to listen on, 127.0.0.1 only (0, a free one)
  --key KEY          the key it accepts (another one at every start)
  --speed SPEED      instant, human (as recorded) or a number: so many times as fast as human (instant)
  --allow-loopback-webhooks
                     deliver webhooks to receivers on this machine

When it listens, it prints one line of JSON on stdout with the address and the key; everything else, also each request
that no recording answers, goes to stderr. It never opens a connection of its own but for those webhooks.
`;

const FLAGS = {
  dir: { type: 'string' },
  port: { type: 'string' },
  key: { type: 'string' },
  speed: { type: 'string' },
  'allow-loopback-webhooks': { type: 'boolean' },
} as const;

/** Reads the arguments after `replay`. Throws `UsageError`. */
export function parseReplay(args: readonly string[]): Parsed<'replay', ReplayOptions> {
  const values = readFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { dir = 'fixtures', port, key: apiKey } = values;
  const speed = readSpeed(values.speed ?? 'instant');
  return {
    type: 'replay',
    options: {
      dir,
      port: port === undefined ? 0 : readPort(port),
      apiKey,
      speed,
      allowsLoopbackWebhooks: values['allow-loopback-webhooks'] ?? false,
    },
  };
}

function readSpeed(text: string): ReplayOptions['speed'] {
  if (text === 'instant' || text === 'human') return text;
  if (Number(text) > 0) return Number(text);
  throw new UsageError(`--speed is instant, human or a number above 0, not "${text}".`);
}
