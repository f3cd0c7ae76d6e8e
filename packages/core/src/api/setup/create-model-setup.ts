import { operation } from '../../http/operation.ts';
import { requireLiveSetup } from '../../setup/live-setup.ts';
import type { ModelRecord } from '../../stores/store.ts';
import { refuseField } from '../../wire/fields.ts';
import { configuredModelSchema, modelSetupResponseSchema } from '../../wire/model-definition.ts';
import { checkModelSetup } from './check-model-setup.ts';
import { refuseUnusable } from './refuse-unusable.ts';
import type { SetupParts } from './setup-parts.ts';
import { findModelSetup } from './to-model-setup.ts';

/** `POST /admin/v1/setup/models`: a model of its own, or what differs from the built-in one of the same id. */
export const createModelSetup = operation<SetupParts>()({
  body: configuredModelSchema,
  response: modelSetupResponseSchema,
  status: 201,
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ body, parts: { platform }, found: setup }) {
    const { id } = body;
    await setup.change(async (stored) => {
      if (setup.host.configured.models.some((model) => model.id === id)) {
        throw refuseField('id', `the configuration has the model "${id}", which counts`);
      }
      const refuseKnown = (models: readonly ModelRecord[]): void => {
        if (models.every((model) => model.id !== id)) return;
        throw refuseField('id', `the model "${id}" was set up already: change that one`);
      };
      refuseKnown(stored.models);
      await checkModelSetup(body, stored, setup.host);
      const row = { id, definition: body, createdAt: new Date(platform.now()).toISOString(), updatedAt: null };
      return {
        stored: { ...stored, models: [...stored.models, row] },
        check: ({ modelStandings }) => refuseUnusable(modelStandings.get(id)),
        write: () => setup.rows.models.insert(row, refuseKnown),
      };
    });
    return { data: await findModelSetup(id, setup) };
  },
});
