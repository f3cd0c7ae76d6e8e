import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Transport } from '../foundation/transport.ts';
import { operation } from '../http/operation.ts';
import type { Provider } from '../providers/provider.ts';
import { planChanges, type PlannedChanges } from '../setup/apply-changes.ts';
import { compareCatalog, type CompareParts } from '../setup/compare-catalog.ts';
import { type LiveSetup, requireLiveSetup } from '../setup/live-setup.ts';
import {
  appliedChangesSchema,
  applyCatalogRequestSchema,
  catalogComparisonResponseSchema,
  compareCatalogRequestSchema,
} from '../wire/catalog-comparison.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import { refuseUnusable } from './provider-setups.ts';

export interface CatalogUpdateParts {
  readonly platform: Platform;
  readonly providers: readonly Provider[];
  /** What is in force. */
  readonly setup: { readonly models?: readonly ModelDefinition[] | undefined };
  readonly web: { readonly transport?: Transport | undefined };
  readonly liveSetup: LiveSetup | undefined;
}

function toCompareParts({ platform, providers, setup, web, liveSetup }: CatalogUpdateParts): CompareParts {
  const configured = liveSetup?.host.configured.models.map(({ id }) => id) ?? [];
  return {
    platform,
    providers,
    models: setup.models ?? [],
    configured: new Set(configured),
    transport: web.transport,
  };
}

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
