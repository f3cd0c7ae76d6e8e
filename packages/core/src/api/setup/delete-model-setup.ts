import { operation } from '../../http/operation.ts';
import { requireLiveSetup } from '../../setup/live-setup.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { SetupParts } from './setup-parts.ts';
import { noModel } from './to-model-setup.ts';

/** `DELETE /admin/v1/setup/models/{id}`: a built-in model of the same id is again as it is built in. */
export const deleteModelSetup = operation<SetupParts>()({
  params: ['id'],
  response: deletedSchema,
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
