import { ROUTES } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { FORMAT_CPU } from '../report/budgets.ts';
import { type Budget, type Figure, formatMicroseconds, formatTimes, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type GatewayRoute, type Stage, startGatewayTarget, withChecked } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import { type Job, STREAMED_JOB, WHOLE_JOB } from './compare-load.ts';
import { takeTurns, type Turns } from './take-turns.ts';

interface MeasuredFormat {
  readonly name: string;
  readonly target: GatewayRoute;
  /** Of streams. */
  readonly budget?: Budget;
}

/**
 * Those over the wire openai are translated; the others are passed on untranslated, but for chat completions over the
 * wire google, whose events take as long to read in any format.
 */
const FORMATS: readonly MeasuredFormat[] = [
  { name: '/messages over the wire openai', target: { route: ROUTES.messages }, budget: FORMAT_CPU },
  { name: '/responses over the wire openai', target: { route: ROUTES.responses }, budget: FORMAT_CPU },
  { name: ':generateContent over the wire openai', target: { route: ROUTES.gemini }, budget: FORMAT_CPU },
  { name: '/messages over the wire anthropic', target: { route: ROUTES.messages, wire: 'anthropic' } },
  { name: '/responses over the wire openai-responses', target: { route: ROUTES.responses, wire: 'openai-responses' } },
  { name: '/chat/completions over the wire google', target: { route: ROUTES.chat, wire: 'google' } },
  {
    name: ':generateContent over the wire google',
    target: { route: ROUTES.gemini, wire: 'google' },
    budget: FORMAT_CPU,
  },
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
 * Compares each format with chat completions over the wire openai: a gateway for each, under full load by turns, with the
 * same text from the upstream.
 */
export async function measureFormats(stage: Stage, plan: Plan): Promise<Figure[]> {
  const targets = await Promise.all(
    [{}, ...FORMATS.map(({ target }) => target)].map((target) => startGatewayTarget(stage, target)),
  );
  return withChecked(targets, async () => {
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(...toFigures(kind, await takeTurns(stage, plan, targets, kind.job)));
    return figures;
  });
}

function toFigures({ name, isBudgeted }: Kind, rounds: readonly Turns[]): Figure[] {
  return FORMATS.map((measured, index) => {
    const pairs = rounds.map(([chatUs = 0, ...formatsUs]) => ({ chatUs, formatUs: formatsUs[index] ?? 0 }));
    return toFigure(`${measured.name}, ${name}: CPU a request, against chat completions`, {
      gateway: formatMicroseconds(median(pairs.map(({ formatUs }) => formatUs))),
      proxy: formatMicroseconds(median(pairs.map(({ chatUs }) => chatUs))),
      value: median(pairs.map(({ chatUs, formatUs }) => formatUs / chatUs)),
      format: formatTimes,
      budget: isBudgeted ? measured.budget : undefined,
    });
  });
}
