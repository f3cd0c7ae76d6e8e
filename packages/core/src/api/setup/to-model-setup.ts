import { GatewayError } from '../../foundation/errors.ts';
import type { ModelStanding } from '../../setup/compose-setup.ts';
import type { LiveSetup } from '../../setup/live-setup.ts';
import type { ModelRecord } from '../../stores/store.ts';
import { type ConfiguredModel, configuredModelSchema, type ModelSetup } from '../../wire/model-definition.ts';

/** A model of the configuration, as it is shown. */
export function toConfiguredModelSetup(definition: ConfiguredModel): ModelSetup {
  const { id } = definition;
  return { id, source: 'config', status: 'ready', problem: null, definition, created_at: null, updated_at: null };
}

/** A stored model, as it is shown. */
export function toModelSetup(row: ModelRecord, { composed }: LiveSetup): ModelSetup {
  return {
    id: row.id,
    source: 'stored',
    ...(composed()?.modelStandings.get(row.id) ?? NOT_LOADED),
    definition: configuredModelSchema.safeParse(row.definition).data ?? null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

const NOT_LOADED: ModelStanding = { status: 'failed', problem: 'It was not loaded: start the gateway again' };

/** A stored model, as it is shown; throws `not_found` when it is gone. */
export async function findModelSetup(id: string, setup: LiveSetup): Promise<ModelSetup> {
  const row = (await setup.stored()).models.find((model) => model.id === id);
  if (row === undefined) throw noModel(id);
  return toModelSetup(row, setup);
}

/** `not_found` for an id that no saved model has. */
export function noModel(id: string): GatewayError {
  return new GatewayError('not_found', `No model ${id.slice(0, 200)} was set up through the API`);
}
