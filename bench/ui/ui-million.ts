import { migrateDatabase } from '@model-gateway/postgres';

import { fillGenerations } from '../../test/engines/million/fill-generations.ts';
import { findProgram } from '../../test/engines/support/find-program.ts';
import { startPostgres } from '../../test/engines/support/postgres-server.ts';
import type { Plan } from '../plan.ts';
import { LISTENING_10_000_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import type { Stage } from '../targets/start-targets.ts';
import { measureCharts } from './ui-charts.ts';
import { measureFinding } from './ui-finding.ts';
import { measureList } from './ui-list.ts';
import { measureOpening } from './ui-opening.ts';
import { setUiStage, type UiStore } from './ui-stage.ts';

/**
 * Measures the screens that grow with the store over 1,000,000 generations in PostgreSQL. Where this machine has no
 * PostgreSQL or no browser, reports that and returns no figures.
 */
export async function measureUiMillion(stage: Stage, plan: Plan): Promise<Figure[]> {
  const listening: Figure[] = [];
  const fillStore = (): Promise<UiStore> =>
    fillPostgres(plan.ui.inPostgres, async (store) => {
      listening.push(await measureListening(stage, plan, store));
    });
  const ui =
    findProgram('postgres') === undefined
      ? 'there is no PostgreSQL server on this machine'
      : await setUiStage(stage, plan, fillStore);
  if (typeof ui === 'string') {
    plan.progress(`skipped: ${ui}`);
    return [];
  }
  try {
    return [
      ...listening,
      ...(await measureOpening(ui, plan)),
      ...(await measureCharts(ui, plan)),
      ...(await measureFinding(ui, plan)),
      ...(await measureList(ui, plan)),
    ];
  } finally {
    await ui.close();
  }
}

/** Fills a PostgreSQL that is started for this alone, with the memory that a store of this size is given. */
export async function fillPostgres(
  rows: number,
  whenFilled: (store: UiStore) => Promise<void> = () => Promise.resolve(),
): Promise<UiStore> {
  const server = await startPostgres({ shared_buffers: '256MB', max_wal_size: '4GB' });
  try {
    const url = await server.createDatabase();
    await migrateDatabase({ url });
    await fillGenerations({ url, rows, endMs: Date.now() });
    const options = { engines: { database: url } };
    const store = { generations: rows, hasSums: true, options, remove: () => server.remove() };
    await whenFilled(store);
    return store;
  } catch (error) {
    await server.remove();
    throw error;
  }
}

async function measureListening({ upstreamPort }: Stage, plan: Plan, store: UiStore): Promise<Figure> {
  const times: number[] = [];
  // The first start fills the compile cache, so its time is not counted.
  for (let starts = 0; starts <= plan.startUp.starts; starts += 1) {
    const gateway = await startGateway({ upstreamPort, ...store.options });
    if (starts > 0) times.push(gateway.listeningAfterMs);
    await gateway.stop();
  }
  const value = median(times);
  const count = store.generations.toLocaleString('en');
  return toFigure(`${count} stored generations in PostgreSQL: time to listening`, {
    gateway: formatMilliseconds(value),
    value,
    format: formatMilliseconds,
    budget: LISTENING_10_000_MS,
  });
}
