import { operation } from '../../http/operation.ts';
import { requireLiveSetup } from '../../setup/live-setup.ts';
import { refuseField } from '../../wire/fields.ts';
import { configuredModelSchema, modelSetupResponseSchema } from '../../wire/model-definition.ts';
import { checkModelSetup } from './check-model-setup.ts';
import { refuseUnusable } from './refuse-unusable.ts';
import type { SetupParts } from './setup-parts.ts';
import { findModelSetup, noModel } from './to-model-setup.ts';

/** `PUT /admin/v1/setup/models/{id}`: the whole definition, as it was listed, with what has changed. */
export const replaceModelSetup = operation<SetupParts>()({
  params: ['id'],
  body: configuredModelSchema,
  response: modelSetupResponseSchema,
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
        check: ({ modelStandings }) => refuseUnusable(modelStandings.get(id)),
        write: () => setup.rows.models.update(id, () => row),
      };
    });
    return { data: await findModelSetup(id, setup) };
  },
});
