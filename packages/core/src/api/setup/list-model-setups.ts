import { operation } from '../../http/operation.ts';
import { modelSetupListSchema } from '../../wire/model-definition.ts';
import type { SetupParts } from './setup-parts.ts';
import { toConfiguredModelSetup, toModelSetup } from './to-model-setup.ts';

/** `GET /admin/v1/setup/models`: what the configuration says of models, then what was set up through the API. */
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
