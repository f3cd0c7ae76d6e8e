/**
 * The smallest of the values that is not below that part of them; null without any. Rearranges them, only as far as that
 * is needed: to sort 100,000 values takes ten times as long.
 */
export function takePercentile(values: Float64Array, part: number): number | null {
  if (values.length === 0) return null;
  const rank = Math.max(0, Math.ceil(values.length * part) - 1);
  let low = 0;
  let high = values.length - 1;
  // What belongs at the rank is between `low` and `high`, until what is smaller is left of it and what is larger right.
  while (low < high) {
    const [left, right] = divide(values, low, high);
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank] as number;
}

/** Moves smaller values to the left and larger ones to the right; returns where the right part begins and the left ends. */
function divide(values: Float64Array, low: number, high: number): [number, number] {
  const pivot = values[(low + high) >>> 1] as number;
  let left = low;
  let right = high;
  while (left <= right) {
    while ((values[left] as number) < pivot) left += 1;
    while ((values[right] as number) > pivot) right -= 1;
    if (left > right) break;
    const moved = values[left] as number;
    values[left] = values[right] as number;
    values[right] = moved;
    left += 1;
    right -= 1;
  }
  return [left, right];
}
