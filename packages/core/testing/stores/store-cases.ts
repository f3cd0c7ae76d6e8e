import { auditCases } from './audit.ts';
import { batchCases } from './batches.ts';
import { fileCases } from './files.ts';
import { followCases, generationCases, restartCases, scanCases } from './generations.ts';
import { broadcastCases, deliveryCases, videoJobCases } from './jobs.ts';
import { generationFilterCases, sortedGenerationCases } from './lists.ts';
import { presetCases } from './presets.ts';
import { promptCases } from './prompts.ts';
import { rerunCases } from './reruns.ts';
import { carriedSpendingCases, spendingCases } from './spending.ts';
import type { StoreCase } from './store-case.ts';
import { activityCases, figureCases, sessionCases } from './sums.ts';
import { guardrailHitCases, keyCases, tableCases } from './tables.ts';

const ALL: readonly StoreCase[] = [
  ...keyCases,
  ...tableCases,
  ...generationCases,
  ...generationFilterCases,
  ...sortedGenerationCases,
  ...sessionCases,
  ...scanCases,
  ...spendingCases,
  ...carriedSpendingCases,
  ...activityCases,
  ...figureCases,
  ...followCases,
  ...videoJobCases,
  ...broadcastCases,
  ...deliveryCases,
  ...guardrailHitCases,
  ...promptCases,
  ...presetCases,
  ...rerunCases,
  ...fileCases,
  ...batchCases,
  ...auditCases,
  ...restartCases,
];

/** The facts that every store must meet. */
export const storeCases: readonly StoreCase[] = ALL.filter(({ needsDurability }) => !needsDurability);

/** The further facts that a store must meet whose data outlive its process. */
export const durableStoreCases: readonly StoreCase[] = ALL.filter(({ needsDurability }) => needsDurability);
