import { operation } from '../../http/operation.ts';
import type { Preset } from '../../providers/provider-preset.ts';
import { PRESETS } from '../../providers/provider-presets.ts';
import { providerPresetListSchema } from '../../wire/provider-setup.ts';
import type { SetupParts } from './setup-parts.ts';

/** `GET /admin/v1/setup/presets`: the well-known providers, of which only the key need be given. */
export const listProviderPresets = operation<SetupParts>()({
  response: providerPresetListSchema,
  run: () => ({
    data: Object.entries(PRESETS).map(([id, preset]) => ({
      id,
      name: preset.name,
      slug: preset.slug ?? id,
      wire: preset.wire,
      base_url: preset.baseUrl,
      address_example: preset.ownAddress?.example ?? null,
      needs_key: preset.apiKeyEnv !== null,
      key_variable: preset.apiKeyEnv,
      key_page: preset.keyPage ?? null,
      lists_models: preset.listsModels,
      is_gateway: isGateway(preset),
      data_policy: { training: preset.dataPolicy.training, retains_prompts: preset.dataPolicy.retainsPrompts },
    })),
  }),
});

const isGateway = (preset: Preset): boolean => preset.wire === 'openai' && preset.dialect.isGateway === true;
