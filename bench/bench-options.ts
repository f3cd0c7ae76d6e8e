import { parseArgs } from 'node:util';

import { type Form, ROUTES } from './load/bench-request.ts';

/** The tables of RESULTS.md, and the parts whose figures each contains. */
export const TABLES = {
  gateway: [
    'whole',
    'streamed',
    'first-token',
    'after-rest',
    'open-streams',
    'paused-readers',
    'start-up',
    'cache-hits',
    'guarded',
    'many-keys',
  ],
  embeddings: ['embeddings'],
  comparison: ['portkey'],
  formats: ['formats', 'llms'],
  binary: ['binary'],
  cluster: ['cluster'],
  doubles: ['fixtures-start'],
  interfaces: ['ui', 'desktop', 'open-calls'],
  million: ['ui-million'],
  memory: ['soak', 'slow-readers', 'mounted'],
} as const;
export type Table = keyof typeof TABLES;

/** The parts that can be run on their own. */
export type Part = (typeof TABLES)[Table][number];
const PARTS: readonly Part[] = [
  ...TABLES.gateway,
  ...TABLES.embeddings,
  ...TABLES.comparison,
  ...TABLES.formats,
  ...TABLES.binary,
  ...TABLES.cluster,
  ...TABLES.doubles,
  ...TABLES.interfaces,
  ...TABLES.million,
  ...TABLES.memory,
];

/** Options from the command line. */
export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly isQuick: boolean;
  readonly isFull: boolean;
  /** The formats whose readers are slow. */
  readonly formats: readonly Form[];
  /** Of soak; undefined for the usual ones. */
  readonly soakMinutes: number | undefined;
  readonly soakStreams: number | undefined;
  /** The tables that the figures are written into. */
  readonly recorded: readonly Table[];
  /** The folder of an older, built checkout to compare this one with; undefined for the usual measurements. */
  readonly against: string | undefined;
}

/** Text that `--help` prints. */
export const HELP = `Usage: npm run bench -- [flags]

  --quick        a few minutes; the figures are rougher, and the larger stores are left out
  --full         adds what takes memory by the gigabyte, 1,000 paused readers, and lets soak and mounted last their full
                 time: 14 and about 5 minutes
  --format FORMATS  of slow-readers: chat, messages, responses; chat and responses by default
  --minutes N    of soak, instead of 2
  --streams N    of soak, instead of 400
  --record       writes the figures into bench/RESULTS.md
  --against FOLDER  compares this checkout with an older, built one, and nothing else: CPU of whole and streamed
                 responses, time to first token, start-up
  --only PARTS   some alone, with commas between them: ${PARTS.join(', ')}
`;

/** Reads the flags; undefined when help is asked for. Throws an error of one line when they are invalid. */
export function parseBenchOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      format: { type: 'string' },
      // Former name of `format`.
      door: { type: 'string', default: 'chat,responses' },
      minutes: { type: 'string' },
      streams: { type: 'string' },
      record: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      against: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const parts = values.only.length === 0 ? PARTS : values.only.flatMap((names) => names.split(',').map(toPart));
  if (values.record && values.quick) throw new Error('--record needs figures that last: leave out --quick');
  const recorded = values.record ? toTables(parts) : [];
  const formats = (values.format ?? values.door).split(',').map(toFormat);
  return {
    parts,
    isQuick: values.quick,
    isFull: values.full,
    formats,
    soakMinutes: toNumber('minutes', values.minutes),
    soakStreams: toNumber('streams', values.streams),
    recorded,
    against: values.against,
  };
}

function toNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${flag} has to be a number above 0, not ${text}`);
  return number;
}

function toFormat(name: string): Form {
  const format = (Object.keys(ROUTES) as Form[]).find((known) => known === name);
  if (format === undefined) throw new Error(`Unknown format ${name}; known are ${Object.keys(ROUTES).join(', ')}`);
  return format;
}

/** A table is written as a whole, or it would contain figures of several days. */
function toTables(parts: readonly Part[]): Table[] {
  const names = Object.keys(TABLES) as Table[];
  const begun = names.filter((name) => TABLES[name].some((part) => parts.includes(part)));
  for (const name of begun) {
    const missing = TABLES[name].filter((part) => !parts.includes(part));
    if (missing.length > 0) throw new Error(`--record writes whole tables: add ${missing.join(',')} to --only`);
  }
  return begun;
}

function toPart(name: string): Part {
  // `doors` is the former name of `formats`.
  const part = PARTS.find((known) => known === (name === 'doors' ? 'formats' : name));
  if (part === undefined) throw new Error(`Unknown part ${name}; known are ${PARTS.join(', ')}`);
  return part;
}
