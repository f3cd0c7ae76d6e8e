/** Cosine of the angle between two vectors: 1 for the same direction; 0 where one has no direction. */
export function toSimilarity(one: readonly number[], other: readonly number[]): number {
  let product = 0;
  let oneSquared = 0;
  let otherSquared = 0;
  for (let at = 0; at < one.length; at += 1) {
    const [a = 0, b = 0] = [one[at], other[at]];
    product += a * b;
    oneSquared += a * a;
    otherSquared += b * b;
  }
  const length = Math.sqrt(oneSquared * otherSquared);
  return length === 0 ? 0 : product / length;
}

/** The similarities of all vectors to each other, row by row. */
export function toSimilarities(vectors: readonly (readonly number[])[]): number[][] {
  const rows: number[][] = [];
  for (const [at, vector] of vectors.entries()) {
    rows.push(vectors.map((other, place) => (place < at ? (rows[place]?.[at] ?? 0) : toSimilarity(vector, other))));
  }
  return rows;
}
