import type { Distribution, LoadJob } from '../load/load-job.ts';
import type { Plan } from '../plan.ts';
import { UI_ADDED_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import type { Stage } from '../targets/start-targets.ts';
import { textOfStream, TRICKLE } from '../targets/upstream-script.ts';
import type { UiStage } from './ui-stage.ts';

const STREAMS = 50;

/** Measures how much later first tokens come while a live list is open, with and without it by turns. */
export async function measureBeside({ load }: Stage, ui: UiStage, plan: Plan): Promise<Figure[]> {
  const rampMs = TRICKLE.chunks * TRICKLE.intervalMs;
  const job: LoadJob = {
    port: Number(new URL(ui.url).port),
    script: TRICKLE.name,
    stream: true,
    connections: STREAMS,
    rampMs,
    durationMs: rampMs + plan.firstToken.roundMs,
    minBytes: textOfStream(TRICKLE).length,
  };
  const run = async (): Promise<Distribution> => (await load.call('run', job)).firstEventMs;
  const added: Omit<Distribution, 'mean'>[] = [];
  for (let i = 0; i < plan.firstToken.rounds; i += 1) {
    const alone = await run();
    const { page, close } = await ui.open();
    await page.goto(`${ui.url}/ui/#/generations`);
    await page.getByRole('grid').getByRole('row').nth(5).waitFor();
    const beside = await run();
    await close();
    added.push({ p50: beside.p50 - alone.p50, p99: beside.p99 - alone.p99 });
  }
  plan.progress(`a live list adds, p99: ${added.map(({ p99 }) => formatMilliseconds(p99)).join(', ')}`);
  return (['p50', 'p99'] as const).map((field) =>
    toFigure(`${STREAMS} slow streams, a live list open: added time to first token, ${field}`, {
      gateway: '',
      value: median(added.map((each) => each[field])),
      format: formatMilliseconds,
      budget: UI_ADDED_MS,
    }),
  );
}
