import { ROUTES } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { DOOR_CPU } from '../report/budgets.ts';
import { type Budget, type Figure, formatMicroseconds, formatTimes, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Lane, type Stage, startGatewayTarget, type Target, withChecked } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import { type Job, runRound, STREAMED_JOB, WHOLE_JOB } from './compare-load.ts';

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

/** CPU time a request of the gateway for chat completions, and of the gateway for each door. */
interface Round {
  readonly chatUs: number;
  readonly doorsUs: readonly number[];
}

/**
 * Compares each door with chat completions over the wire openai: a gateway for each, under full load by turns, with the
 * same text from the upstream.
 */
export async function measureDoors(stage: Stage, plan: Plan): Promise<Figure[]> {
  const [chat, ...doors] = await Promise.all([
    startGatewayTarget(stage),
    ...DOORS.map(({ lane }) => startGatewayTarget(stage, lane)),
  ]);
  return withChecked([chat, ...doors], async () => {
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(...toFigures(kind, await runRounds(stage, plan, { chat, doors, ...kind })));
    return figures;
  });
}

interface Turns {
  readonly chat: Target;
  readonly doors: readonly Target[];
  readonly job: Job;
}

async function runRounds(stage: Stage, plan: Plan, { chat, doors, job }: Turns): Promise<Round[]> {
  const { warmUpMs, roundMs, rounds } = plan.load;
  const run = async (target: Target, durationMs: number): Promise<number> =>
    (await runRound(stage, target, { ...job, durationMs })).cpuUs;
  for (const target of [chat, ...doors]) await run(target, warmUpMs);
  const measured: Round[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const chatUs = await run(chat, roundMs);
    const doorsUs: number[] = [];
    for (const door of doors) doorsUs.push(await run(door, roundMs));
    measured.push({ chatUs, doorsUs });
    plan.progress(`CPU ${doorsUs.map(formatMicroseconds).join(', ')} / ${formatMicroseconds(chatUs)}`);
  }
  return measured;
}

function toFigures({ name, isBudgeted }: Kind, rounds: readonly Round[]): Figure[] {
  return DOORS.map((door, index) =>
    toFigure(`${door.name}, ${name}: CPU a request, against chat completions`, {
      gateway: formatMicroseconds(median(rounds.map(({ doorsUs }) => doorsUs[index] ?? 0))),
      proxy: formatMicroseconds(median(rounds.map(({ chatUs }) => chatUs))),
      value: median(rounds.map(({ chatUs, doorsUs }) => (doorsUs[index] ?? 0) / chatUs)),
      format: formatTimes,
      budget: isBudgeted ? door.budget : undefined,
    }),
  );
}
