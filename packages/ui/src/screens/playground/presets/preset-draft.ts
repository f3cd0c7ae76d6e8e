import type { Preset, PresetVersion } from '@model-gateway/core/wire';

import type { Experiment, NewId } from '../../../features/playground/experiment.ts';
import { openVersion, toPromptDraft } from '../prompts/prompt-draft.ts';

/** What of an experiment a preset keeps: the body of the request that saves it. Its set-up has no field to correct. */
export function toPresetBody(experiment: Pick<Experiment, 'setup' | 'columns' | 'text'>) {
  const { messages, model, parameters } = toPromptDraft(experiment);
  return {
    ...(model !== null && { model }),
    ...parameters,
    messages: messages.filter(({ role }) => role === 'system'),
  };
}

/** A new experiment with the settings and the system prompt of a version. */
export function openPreset(
  { name }: Preset,
  version: PresetVersion,
  models: readonly string[],
  newId: NewId,
): Experiment {
  const { config, system_prompt: system, created_at } = version;
  const { model, ...parameters } = config;
  const opened = openVersion(
    { id: '', name },
    {
      version: version.version,
      messages: system === null ? [] : [{ role: 'system', content: system }],
      model: typeof model === 'string' ? model : null,
      parameters,
      note: null,
      variables: [],
      created_at,
      created_by: '',
    },
    models,
    newId,
  );
  return { ...opened, prompt: undefined };
}
