import type { Form } from './load/bench-request.ts';

/** The durations of all measurements, and the receiver of progress reports. */
export interface Plan {
  /** Gateway and bare proxy under full load, by turns. */
  readonly load: { readonly rounds: number; readonly warmUpMs: number; readonly roundMs: number };
  /** This checkout compared with an older one; a round measures each gateway twice. */
  readonly against: {
    /** Of each checkout, one after the other. */
    readonly processes: number;
    /** With each of them. */
    readonly rounds: number;
    readonly roundMs: number;
    readonly starts: number;
  };
  /** Slow streams; `roundMs` counts from when all of them have begun. */
  readonly firstToken: { readonly rounds: number; readonly roundMs: number };
  /** How long open streams and paused readers are watched. */
  readonly holdMs: number;
  /** Whether 1,000 paused readers of 32 MB are measured, too. */
  readonly isFull: boolean;
  /** The formats whose readers are slow. */
  readonly formats: readonly Form[];
  /** How many streams run at a time, and for how long. */
  readonly soakStreams: number;
  readonly soakMs: number;
  /** Calls of the mounted gateway; at least 10,000 are needed to fill its store. */
  readonly mounted: { readonly whole: number; readonly streams: number };
  /** How long a process is left alone after its load, before its memory is read. */
  readonly restMs: number;
  readonly startUp: { readonly starts: number; readonly sizes: readonly number[] };
  /** How often each test double is started. */
  readonly fixturesStarts: number;
  /** The web UI in a browser. */
  readonly ui: {
    readonly generations: number;
    /** In PostgreSQL, for the part `ui-million`. */
    readonly inPostgres: number;
    /** Number of first visits, and of openings of very long contents. */
    readonly rounds: number;
    readonly scrollMs: number;
    readonly streamMs: number;
  };
  /** The desktop app; `idleMs` is how long it is measured at rest. */
  readonly desktop: { readonly starts: number; readonly idleMs: number };
  /** Reports progress while a step runs. */
  progress(line: string): void;
}

type Durations = Omit<Plan, 'progress' | 'isFull' | 'formats'>;

/** Durations for figures that are recorded. A run takes about five minutes. */
export const THOROUGH: Durations = {
  load: { rounds: 7, warmUpMs: 3000, roundMs: 3000 },
  against: { processes: 5, rounds: 4, roundMs: 1500, starts: 20 },
  firstToken: { rounds: 5, roundMs: 4000 },
  holdMs: 10_000,
  startUp: { starts: 7, sizes: [10_000, 100_000] },
  fixturesStarts: 21,
  ui: { generations: 100_000, inPostgres: 1_000_000, rounds: 5, scrollMs: 4000, streamMs: 4000 },
  desktop: { starts: 5, idleMs: 60_000 },
  soakStreams: 400,
  soakMs: 120_000,
  mounted: { whole: 40_000, streams: 12_000 },
  restMs: 90_000,
};

/** What takes its full time with `--full` alone. */
export const FULL: Partial<Durations> = { soakMs: 720_000, mounted: { whole: 200_000, streams: 33_000 } };

/** Durations for a quick check: all parts are shorter, and the larger store is left out. */
export const QUICK: Durations = {
  load: { rounds: 3, warmUpMs: 1000, roundMs: 1000 },
  against: { processes: 5, rounds: 1, roundMs: 1000, starts: 5 },
  firstToken: { rounds: 2, roundMs: 2000 },
  holdMs: 1500,
  startUp: { starts: 3, sizes: [10_000] },
  fixturesStarts: 5,
  ui: { generations: 10_000, inPostgres: 100_000, rounds: 2, scrollMs: 1500, streamMs: 1500 },
  desktop: { starts: 2, idleMs: 5000 },
  soakStreams: 400,
  soakMs: 15_000,
  mounted: { whole: 12_000, streams: 11_000 },
  restMs: 20_000,
};
