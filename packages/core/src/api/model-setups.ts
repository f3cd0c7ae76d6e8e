import { findModelProblems } from '../catalog/find-model-problems.ts';
import { pickServedModels } from '../catalog/override-models.ts';
import { GatewayError } from '../foundation/errors.ts';
import { checkWith, refuseIssues } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import type { ModelSetupState, StoredSetup } from '../setup/compose-setup.ts';
import { type LiveSetup, requireLiveSetup } from '../setup/live-setup.ts';
import type { SetupHost } from '../setup/setup-host.ts';
import type { ModelRecord } from '../stores/store.ts';
import { deletedSchema, refuseField } from '../wire/fields.ts';
import {
  type ConfiguredModel,
  configuredModelSchema,
  type ModelSetup,
  modelSetupListSchema,
  modelSetupResponseSchema,
} from '../wire/model-definition.ts';
import { refuseUnusable, type SetupParts } from './provider-setups.ts';

/** Throws `invalid_request` for a model that names no provider, or lacks what is not built in. */
async function checkModelSetup(model: ConfiguredModel, stored: StoredSetup, host: SetupHost): Promise<void> {
  const providers = [
    ...host.configured.providers.map(({ slug, settings }) => ({ slug, preset: settings.preset ?? null })),
    ...stored.providers.map(({ id, settings: { preset } }) => ({
      slug: id,
      preset: typeof preset === 'string' ? preset : null,
    })),
  ];
  const served = pickServedModels(await host.loadBuiltInModels(), providers);
  const others = stored.models.filter(({ id }) => id !== model.id);
  const configured = [...host.configured.models, ...others.flatMap(toDefinition)];
  const problems = findModelProblems(model, { slugs: providers.map(({ slug }) => slug), served, configured });
  if (problems.length > 0) {
    throw refuseIssues(problems.map(({ keys, message }) => ({ path: keys.join('.'), message })));
  }
}

function toDefinition({ definition }: ModelRecord): ConfiguredModel[] {
  const { data } = checkWith(configuredModelSchema, definition);
  return data === undefined ? [] : [data];
}

/** A model of the configuration, as it is shown. */
function toConfiguredModelSetup(definition: ConfiguredModel): ModelSetup {
  const { id } = definition;
  return { id, source: 'config', status: 'ready', problem: null, definition, created_at: null, updated_at: null };
}

/** A stored model, as it is shown. */
function toModelSetup(row: ModelRecord, { composed }: LiveSetup): ModelSetup {
  return {
    id: row.id,
    source: 'stored',
    ...(composed()?.modelStates.get(row.id) ?? NOT_LOADED),
    definition: checkWith(configuredModelSchema, row.definition).data ?? null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

const NOT_LOADED: ModelSetupState = { status: 'failed', problem: 'It was not loaded: start the gateway again' };

/** A stored model, as it is shown; throws `not_found` when it is gone. */
async function findModelSetup(id: string, setup: LiveSetup): Promise<ModelSetup> {
  const row = (await setup.stored()).models.find((model) => model.id === id);
  if (row === undefined) throw noModel(id);
  return toModelSetup(row, setup);
}

/** `not_found` for an id that no saved model has. */
function noModel(id: string): GatewayError {
  return new GatewayError('not_found', `No model ${id.slice(0, 200)} was set up through the API`);
}

/** `GET /admin/v1/setup/models`: the models of the configuration, then models that were set up through the API. */
export const listModelSetups = operation<SetupParts>()({
  response: modelSetupListSchema,
  async run({ parts: { liveSetup } }) {
    if (liveSetup === undefined) return { data: [], editable: false };
    const { models } = await liveSetup.stored();
    return {
      data: [
        ...liveSetup.host.configured.models.map(toConfiguredModelSetup),
        ...models.map((row) => toModelSetup(row, liveSetup)),
      ],
      editable: true,
    };
  },
});

/** `POST /admin/v1/setup/models`: a model of its own, or what differs from the built-in one of the same id. */
export const createModelSetup = operation<SetupParts>()({
  body: configuredModelSchema,
  response: modelSetupResponseSchema,
  status: 201,
  errors: ['conflict'],
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ body, parts: { platform }, found: setup }) {
    const { id } = body;
    await setup.change(async (stored) => {
      if (setup.host.configured.models.some((model) => model.id === id)) {
        throw refuseField('id', `the configuration has the model "${id}", which takes precedence`);
      }
      const refuseKnown = (models: readonly ModelRecord[]): void => {
        if (models.every((model) => model.id !== id)) return;
        throw refuseField('id', `the model "${id}" exists already: change that one`);
      };
      refuseKnown(stored.models);
      await checkModelSetup(body, stored, setup.host);
      const row = { id, definition: body, createdAt: new Date(platform.now()).toISOString(), updatedAt: null };
      return {
        stored: { ...stored, models: [...stored.models, row] },
        check: ({ modelStates }) => refuseUnusable(modelStates.get(id)),
        write: () => setup.rows.models.insert(row, refuseKnown),
      };
    });
    return { data: await findModelSetup(id, setup) };
  },
});

/** `PUT /admin/v1/setup/models/{id}`: the whole definition, as it was listed, with what has changed. */
export const replaceModelSetup = operation<SetupParts>()({
  params: ['id'],
  body: configuredModelSchema,
  response: modelSetupResponseSchema,
  errors: ['conflict'],
  async find({ params: { id }, parts }) {
    const setup = requireLiveSetup(parts.liveSetup);
    await findModelSetup(id, setup);
    return setup;
  },
  async run({ params: { id }, body, parts: { platform }, found: setup }) {
    if (body.id !== id) throw refuseField('id', `must stay "${id}": set the other one up, and delete this one`);
    await setup.change(async (stored) => {
      const before = stored.models.find((model) => model.id === id);
      if (before === undefined) throw noModel(id);
      await checkModelSetup(body, stored, setup.host);
      const row = { ...before, definition: body, updatedAt: new Date(platform.now()).toISOString() };
      return {
        stored: { ...stored, models: stored.models.map((one) => (one === before ? row : one)) },
        check: ({ modelStates }) => refuseUnusable(modelStates.get(id)),
        write: () => setup.rows.models.update(id, () => row),
      };
    });
    return { data: await findModelSetup(id, setup) };
  },
});

/** `DELETE /admin/v1/setup/models/{id}`: a built-in model of the same id is again as it is built in. */
export const deleteModelSetup = operation<SetupParts>()({
  params: ['id'],
  response: deletedSchema,
  errors: ['conflict'],
  async run({ params: { id }, parts }) {
    const setup = requireLiveSetup(parts.liveSetup);
    await setup.change((stored) => {
      if (stored.models.every((model) => model.id !== id)) throw noModel(id);
      return {
        stored: { ...stored, models: stored.models.filter((model) => model.id !== id) },
        write: () => setup.rows.models.remove(id),
      };
    });
    return { deleted: true };
  },
});
