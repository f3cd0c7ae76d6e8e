import type { Model } from '@model-gateway/core/wire';

type Named = Pick<Model, 'id' | 'name'>;

/** The models whose id or name has every word of a text, those first that begin with it. */
export function findModels<Each extends Named>(models: readonly Each[], text: string): readonly Each[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return models;
  return models
    .map((model) => ({ model, rank: rankOf(model, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ model }) => model);
}

function rankOf({ id, name }: Named, words: readonly string[]): number {
  const texts = [id.toLowerCase(), name.toLowerCase()];
  if (!words.every((word) => texts.some((text) => text.includes(word)))) return 0;
  const [first = ''] = words;
  if (words.length === 1 && texts.includes(first)) return 4;
  if (texts.some((text) => text.startsWith(first))) return 3;
  // The beginning of a word: `gpt` in `openai/gpt-4o`.
  return texts.some((text) => text.split(/[^a-z0-9.]+/).some((part) => part.startsWith(first))) ? 2 : 1;
}

/** What a model can do beside texts, in the words of the picker. */
export function toAbilities({
  architecture,
  supported_parameters: parameters,
}: Pick<Model, 'architecture' | 'supported_parameters'>): readonly string[] {
  const { input_modalities: inputs, output_modalities: outputs } = architecture;
  const has = (name: string): boolean => parameters.includes(name);
  return [
    has('tools') && 'tools',
    has('structured_outputs') && 'JSON schema',
    (has('reasoning') || has('reasoning_effort')) && 'reasoning',
    inputs.includes('image') && 'sees images',
    inputs.includes('file') && 'reads files',
    inputs.includes('audio') && 'hears audio',
    outputs.includes('image') && 'makes images',
    outputs.includes('audio') && 'speaks',
  ].filter((ability) => ability !== false);
}
