import type { Plan } from '../plan.ts';
import type { Figure } from '../report/figure.ts';
import type { Stage } from '../targets/start-targets.ts';
import { measureIdle } from './desktop-idle.ts';
import { setDesktopStage } from './desktop-stage.ts';
import { measureWindows } from './desktop-windows.ts';

/** Measures the packaged desktop app. Where it cannot run, reports why and returns no figures. */
export async function measureDesktop(_stage: Stage, plan: Plan): Promise<Figure[]> {
  const stage = await setDesktopStage(plan);
  if (typeof stage === 'string') {
    plan.progress(`skipped: ${stage}`);
    return [];
  }
  return [...(await measureWindows(stage, plan)), ...(await measureIdle(stage, plan))];
}
