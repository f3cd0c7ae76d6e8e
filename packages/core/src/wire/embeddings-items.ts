import type { EmbeddingsItem, EmbeddingsRequest } from './embeddings.ts';

/** The items of an input, one for each vector. */
export function itemsOf(input: EmbeddingsRequest['input']): readonly EmbeddingsItem[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as readonly EmbeddingsItem[]);
}
