import { ROUTES } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { DOOR_CPU } from '../report/budgets.ts';
import { type Budget, type Figure, formatMicroseconds, formatTimes, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Lane, type Stage, startGatewayTarget, withChecked } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import { type Job, STREAMED_JOB, WHOLE_JOB } from './compare-load.ts';
import { takeTurns, type Turns } from './take-turns.ts';

interface Door {
  readonly name: string;
  readonly lane: Lane;
  /** Of streams. */
  readonly budget?: Budget;
}

/** Two translate between two forms; the other two pass on what they get, on the native lane. */
const DOORS: readonly Door[] = [
  { name: '/messages over the wire openai', lane: { route: ROUTES.messages }, budget: DOOR_CPU },
  { name: '/responses over the wire openai', lane: { route: ROUTES.responses }, budget: DOOR_CPU },
  { name: '/messages over the wire anthropic', lane: { route: ROUTES.messages, wire: 'anthropic' } },
  { name: '/responses over the wire openai-responses', lane: { route: ROUTES.responses, wire: 'openai-responses' } },
];

interface Kind {
  readonly name: string;
  readonly job: Job;
  readonly isBudgeted: boolean;
}

const KINDS: readonly Kind[] = [
  { name: 'not streamed', job: WHOLE_JOB, isBudgeted: false },
  { name: `streams of ${BURST.chunks} chunks`, job: STREAMED_JOB, isBudgeted: true },
];

/**
 * Compares each door with chat completions over the wire openai: a gateway for each, under full load by turns, with the
 * same text from the upstream.
 */
export async function measureDoors(stage: Stage, plan: Plan): Promise<Figure[]> {
  const targets = await Promise.all(
    [{}, ...DOORS.map(({ lane }) => lane)].map((lane) => startGatewayTarget(stage, lane)),
  );
  return withChecked(targets, async () => {
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(...toFigures(kind, await takeTurns(stage, plan, targets, kind.job)));
    return figures;
  });
}

function toFigures({ name, isBudgeted }: Kind, rounds: readonly Turns[]): Figure[] {
  return DOORS.map((door, index) => {
    const pairs = rounds.map(([chatUs = 0, ...doorsUs]) => ({ chatUs, doorUs: doorsUs[index] ?? 0 }));
    return toFigure(`${door.name}, ${name}: CPU a request, against chat completions`, {
      gateway: formatMicroseconds(median(pairs.map(({ doorUs }) => doorUs))),
      proxy: formatMicroseconds(median(pairs.map(({ chatUs }) => chatUs))),
      value: median(pairs.map(({ chatUs, doorUs }) => doorUs / chatUs)),
      format: formatTimes,
      budget: isBudgeted ? door.budget : undefined,
    });
  });
}
