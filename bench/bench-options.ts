import { parseArgs } from 'node:util';

/** The parts that can be run on their own. */
export const PARTS = [
  'whole',
  'streamed',
  'first-token',
  'open-streams',
  'paused-readers',
  'start-up',
  'cache-hits',
  'guarded',
  'portkey',
  'ui',
  'desktop',
] as const;
export type Part = (typeof PARTS)[number];

/** What the command line asks for. */
export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly isQuick: boolean;
  readonly isFull: boolean;
  readonly isRecorded: boolean;
}

/** What `--help` prints. */
export const HELP = `Usage: npm run bench -- [flags]

  --quick        under a minute; the figures are rougher, and the larger store is left out
  --full         adds what takes memory by the gigabyte: 1,000 paused readers
  --record       writes the figures into bench/RESULTS.md
  --only PART    one part alone, may be repeated: ${PARTS.join(', ')}
`;

/** Reads the flags; undefined when help is asked for. Throws with one clear line when they make no sense. */
export function parseBenchOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (values.record && (values.quick || values.only.length > 0)) {
    throw new Error('--record needs the whole bench: leave out --quick and --only');
  }
  const parts = values.only.length === 0 ? PARTS : values.only.map(toPart);
  return { parts, isQuick: values.quick, isFull: values.full, isRecorded: values.record };
}

function toPart(name: string): Part {
  const part = PARTS.find((known) => known === name);
  if (part === undefined) throw new Error(`There is no part ${name}; there are ${PARTS.join(', ')}`);
  return part;
}
