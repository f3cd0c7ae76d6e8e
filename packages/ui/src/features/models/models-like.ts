import type { Model } from '@model-gateway/core/wire';

/** Words of an id or a name: `gpt-5.6-sol` is gpt, 5.6, sol. */
const toWords = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}.]+/u)
      .filter(Boolean),
  );

/** Models that could stand in for one that is gone, the likest first: of its author, and with the same words in their ids. */
export function toModelsLike<Candidate extends Pick<Model, 'id'>>(
  id: string,
  models: readonly Candidate[],
  limit: number,
): readonly Candidate[] {
  const [author = ''] = id.split('/');
  const words = toWords(id.slice(author.length));
  return models
    .map((model) => {
      const [otherAuthor = ''] = model.id.split('/');
      const others = toWords(model.id.slice(otherAuthor.length));
      const shared = [...words].filter((word) => others.has(word)).length;
      // A version alone, such as 4.1, is no likeness.
      const isNamed = [...words].some((word) => others.has(word) && /\p{L}/u.test(word));
      return { model, score: (isNamed ? shared : 0) + (author === otherAuthor ? 1 : 0) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ model }) => model);
}
