/** How the numbers of vectors are written. */
export type VectorFormat = 'float' | 'base64';

/** The path at which the upstream responds with vectors, and the gateway's name of the model that makes them. */
export const VECTORS_PATH = '/v1/embeddings';
export const VECTORS_MODEL = 'bench/vectors';

/** Texts of a request, and numbers of the vector that is made of each. */
export const TEXTS = 100;
export const NUMBERS = 1536;

/** Tokens of every request. */
export const TEXT_TOKENS = 900;

/** Numbers as embeddings have them: of either sign, small, and with all digits that a double has. */
function toVector(seed: number): number[] {
  let state = seed + 1;
  return Array.from({ length: NUMBERS }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.fround((state / 2 ** 31 - 0.5) / 10);
  });
}

const toBase64 = (vector: readonly number[]): string => Buffer.from(new Float32Array(vector).buffer).toString('base64');

/** The body of the response, in OpenAI's form. */
export function toVectors(format: VectorFormat) {
  const data = Array.from({ length: TEXTS }, (_, index) => {
    const vector = toVector(index);
    return { object: 'embedding', index, embedding: format === 'float' ? vector : toBase64(vector) };
  });
  return {
    object: 'list',
    data,
    model: 'vectors',
    usage: { prompt_tokens: TEXT_TOKENS, total_tokens: TEXT_TOKENS },
  };
}
