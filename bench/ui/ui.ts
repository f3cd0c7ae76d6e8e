import { join } from 'node:path';

import type { Plan } from '../plan.ts';
import { makeTemporaryFolder } from '../processes/children.ts';
import type { Figure } from '../report/figure.ts';
import type { Stage } from '../targets/start-targets.ts';
import { measureBeside } from './ui-beside.ts';
import { measureBody } from './ui-body.ts';
import { measureCharts } from './ui-charts.ts';
import { measureFinding } from './ui-finding.ts';
import { storeUiGenerations } from './ui-generations.ts';
import { measureHidden } from './ui-hidden.ts';
import { measureList } from './ui-list.ts';
import { measureBundle, measureOpening } from './ui-opening.ts';
import { setUiStage } from './ui-stage.ts';
import { measureStreams } from './ui-streams.ts';

/** Measures the web UI in a browser. Where there is none, reports that and returns no figures. */
export async function measureUi(stage: Stage, plan: Plan): Promise<Figure[]> {
  const ui = await setUiStage(stage, plan, async () => {
    const dataDir = join(makeTemporaryFolder(), 'data');
    await storeUiGenerations(dataDir, plan.ui.generations);
    return { generations: plan.ui.generations, hasSums: false, options: { dataDir }, remove: () => Promise.resolve() };
  });
  if (typeof ui === 'string') {
    plan.progress(`skipped: ${ui}`);
    return [];
  }
  try {
    return [
      ...measureBundle(),
      ...(await measureOpening(ui, plan)),
      ...(await measureCharts(ui, plan)),
      ...(await measureFinding(ui, plan)),
      ...(await measureList(ui, plan)),
      ...(await measureBody(ui, plan)),
      ...(await measureStreams(ui, plan)),
      ...(await measureHidden(ui, plan)),
      ...(await measureBeside(stage, ui, plan)),
    ];
  } finally {
    await ui.close();
  }
}
