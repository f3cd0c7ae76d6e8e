import { expect, test } from 'vitest';

import { findModels, toAbilities } from '../model-picker.tsx';

const model = (id: string, name: string) => ({ id, name });
const MODELS = [
  model('acme/claude-sonnet-4.5', 'Acme: Claude Sonnet 4.5'),
  model('acme/claude-opus-4', 'Acme: Claude Opus 4'),
  model('other/mini', 'Other: Sonnet mini'),
  model('other/personnet', 'Other: Personnet'),
  model('sonnet/one', 'One'),
];
const find = (text: string) => findModels(MODELS, text).map(({ id }) => id);

test('a part of the name or id finds a model, those first that begin with it', () => {
  expect(find('sonnet')).toEqual(['sonnet/one', 'acme/claude-sonnet-4.5', 'other/mini', 'other/personnet']);
  expect(find('  SONNET 4.5 ')).toEqual(['acme/claude-sonnet-4.5']);
  expect(find('claude acme 4')).toEqual(['acme/claude-sonnet-4.5', 'acme/claude-opus-4']);
  expect(find('other/mini')[0]).toBe('other/mini');
  expect(find('nothing')).toEqual([]);
  expect(find('')).toHaveLength(MODELS.length);
});

test('abilities are told in words', () => {
  const architecture = { modality: null, instruct_type: null, tokenizer: '' };
  expect(
    toAbilities({
      architecture: {
        ...architecture,
        input_modalities: ['text', 'image', 'audio'],
        output_modalities: ['text', 'image'],
      },
      supported_parameters: ['tools', 'structured_outputs', 'reasoning'],
    }),
  ).toEqual(['tools', 'JSON schema', 'reasoning', 'image input', 'audio input', 'image output']);
});
