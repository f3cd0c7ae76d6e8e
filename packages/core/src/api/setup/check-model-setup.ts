import { objectToModel } from '../../catalog/catalog.ts';
import { pickServedModels } from '../../catalog/override-models.ts';
import { refuseIssues } from '../../foundation/parse.ts';
import type { StoredSetup } from '../../setup/compose-setup.ts';
import type { SetupHost } from '../../setup/setup-host.ts';
import type { ModelRecord } from '../../stores/store.ts';
import { type ConfiguredModel, configuredModelSchema } from '../../wire/model-definition.ts';

/** Throws `invalid_request` for a model that names no provider, or lacks what is not built in. */
export async function checkModelSetup(model: ConfiguredModel, stored: StoredSetup, host: SetupHost): Promise<void> {
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
  const objections = objectToModel(model, { slugs: providers.map(({ slug }) => slug), served, configured });
  if (objections.length > 0) {
    throw refuseIssues(objections.map(({ keys, message }) => ({ path: keys.join('.'), message })));
  }
}

function toDefinition({ definition }: ModelRecord): ConfiguredModel[] {
  const { data } = configuredModelSchema.safeParse(definition);
  return data === undefined ? [] : [data];
}
