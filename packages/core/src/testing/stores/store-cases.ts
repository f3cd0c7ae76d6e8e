import { activityCases } from './activity-cases.ts';
import { broadcastCases } from './broadcast-cases.ts';
import { carriedSpendingCases } from './carried-spending-cases.ts';
import { deliveryCases } from './delivery-cases.ts';
import { followCases } from './follow-cases.ts';
import { generationCases } from './generation-cases.ts';
import { generationFilterCases } from './generation-filter-cases.ts';
import { guardrailHitCases } from './guardrail-hit-cases.ts';
import { keyCases } from './key-cases.ts';
import { restartCases } from './restart-cases.ts';
import { scanCases } from './scan-cases.ts';
import { sessionCases } from './session-cases.ts';
import { sortedGenerationCases } from './sorted-generation-cases.ts';
import { spendingCases } from './spending-cases.ts';
import type { StoreCase } from './store-case.ts';
import { tableCases } from './table-cases.ts';
import { videoJobCases } from './video-job-cases.ts';

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
  ...followCases,
  ...videoJobCases,
  ...broadcastCases,
  ...deliveryCases,
  ...guardrailHitCases,
  ...restartCases,
];

/** The facts that every store must meet. */
export const storeCases: readonly StoreCase[] = ALL.filter(({ needsDurability }) => !needsDurability);

/** The further facts that a store must meet whose data outlive its process. */
export const durableStoreCases: readonly StoreCase[] = ALL.filter(({ needsDurability }) => needsDurability);
