import type { Migration } from 'kysely/migration';

import { tablesMigration } from './0001-tables.ts';
import { generationsMigration } from './0002-generations.ts';
import { rollupsMigration } from './0003-rollups.ts';
import { budgetSlicesMigration } from './0004-budget-slices.ts';
import { generationOrderMigration } from './0005-generation-order.ts';
import { carriedSpendingMigration } from './0006-carried-spending.ts';
import { droppedDaysMigration } from './0007-dropped-days.ts';
import { videoListsMigration } from './0008-video-lists.ts';
import { storeIdMigration } from './0009-store-id.ts';
import { sumsByGrainMigration } from './0010-sums-by-grain.ts';
import { shorterSumsMigration } from './0012-shorter-sums.ts';
import { deliveryListsMigration } from './0014-delivery-lists.ts';
import { serversMigration } from './0015-servers.ts';
import { daysByOwnerMigration } from './0016-days-by-owner.ts';

/**
 * Every change of the schema in its order, by name, but for indexes of what may be large (`INDEXES`). They go forward only, and what has been released is never changed:
 * add one at the end.
 */
export const MIGRATIONS: readonly (readonly [name: string, migration: Migration])[] = [
  ['0001-tables', tablesMigration],
  ['0002-generations', generationsMigration],
  ['0003-rollups', rollupsMigration],
  ['0004-budget-slices', budgetSlicesMigration],
  ['0005-generation-order', generationOrderMigration],
  ['0006-carried-spending', carriedSpendingMigration],
  ['0007-dropped-days', droppedDaysMigration],
  ['0008-video-lists', videoListsMigration],
  ['0009-store-id', storeIdMigration],
  ['0010-sums-by-grain', sumsByGrainMigration],
  ['0012-shorter-sums', shorterSumsMigration],
  ['0014-delivery-lists', deliveryListsMigration],
  ['0015-servers', serversMigration],
  ['0016-days-by-owner', daysByOwnerMigration],
];
