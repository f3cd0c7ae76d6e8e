import { migrateDatabase } from '@model-gateway/postgres';

import { fillGenerations } from '../../test/engines/million/fill-generations.ts';
import { findProgram } from '../../test/engines/support/find-program.ts';
import { startPostgres } from '../../test/engines/support/postgres-server.ts';
import type { Plan } from '../plan.ts';
import type { Figure } from '../report/figure.ts';
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
  const ui =
    findProgram('postgres') === undefined
      ? 'there is no PostgreSQL server on this machine'
      : await setUiStage(stage, plan, () => fillPostgres(plan.ui.inPostgres));
  if (typeof ui === 'string') {
    plan.progress(`skipped: ${ui}`);
    return [];
  }
  try {
    return [
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
async function fillPostgres(rows: number): Promise<UiStore> {
  const server = await startPostgres({ shared_buffers: '256MB', max_wal_size: '4GB' });
  try {
    const url = await server.createDatabase();
    await migrateDatabase({ url });
    await fillGenerations({ url, rows, endMs: Date.now() });
    return { generations: rows, hasSums: true, options: { engines: { database: url } }, remove: () => server.remove() };
  } catch (error) {
    await server.remove();
    throw error;
  }
}
