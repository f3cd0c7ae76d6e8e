import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import { isOpenChange, planChanges, type PlannedChanges } from '../setup/apply-changes.ts';
import type { CatalogWatchOptions } from '../setup/catalog-watch.ts';
import { compareCatalog, type GatewayInForce, toCompareParts } from '../setup/compare-catalog.ts';
import { requireLiveSetup } from '../setup/live-setup.ts';
import type { Store } from '../stores/store.ts';
import {
  appliedChangesSchema,
  applyCatalogRequestSchema,
  catalogComparisonResponseSchema,
  catalogStateSchema,
  compareCatalogRequestSchema,
} from '../wire/catalog-comparison.ts';
import { refuseUnusable } from './provider-setups.ts';

export interface CatalogUpdateParts extends GatewayInForce {
  readonly store: Pick<Store, 'settings'>;
  readonly catalogUpdates: CatalogWatchOptions | undefined;
}

const HOUR_MS = 60 * 60 * 1000;

/** `GET /admin/v1/setup/catalog`: what the schedule has found. What was applied or edited meanwhile is left out. */
export const getCatalogState = operation<CatalogUpdateParts>()({
  response: catalogStateSchema,
  run({ parts: { store, catalogUpdates, setup } }) {
    const { catalog } = store.settings.get();
    const models = setup.models ?? [];
    const changes = catalog?.changes.filter((change) => isOpenChange(change, models)) ?? [];
    return {
      data: {
        latest: catalog === undefined ? null : { ...catalog, changes },
        every_hours: catalogUpdates === undefined ? null : catalogUpdates.everyMs / HOUR_MS,
      },
    };
  },
});

/** `POST /admin/v1/setup/catalog/comparisons`: what lists say otherwise. Changes nothing. */
export const compareCatalogs = operation<CatalogUpdateParts>()({
  body: compareCatalogRequestSchema,
  response: catalogComparisonResponseSchema,
  run: async ({ request: { signal }, parts, body }) => ({
    data: await compareCatalog(body, toCompareParts(parts), signal),
  }),
});

/** `POST /admin/v1/setup/catalog/changes`: all of them, or none. */
export const applyCatalogChanges = operation<CatalogUpdateParts>()({
  body: applyCatalogRequestSchema,
  response: appliedChangesSchema,
  errors: ['conflict'],
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ parts, body: { changes }, found: setup }) {
    const { models: inForce, configured } = toCompareParts(parts);
    const at = new Date(parts.platform.now()).toISOString();
    let planned: PlannedChanges | undefined;
    await setup.change((stored) => {
      // Another change may have come into force meanwhile.
      const models = setup.composed()?.models ?? inForce;
      const plan = planChanges(changes, stored, { models, configured, rows: setup.rows, at });
      planned = plan;
      return {
        stored: plan.stored,
        check: ({ modelStates }) => plan.models.forEach(({ id }) => refuseUnusable(modelStates.get(id))),
        write: plan.write,
      };
    });
    if (planned === undefined) throw new GatewayError('internal', 'The changes were not planned');
    return { data: { applied: changes.length, models: planned.models } };
  },
});
