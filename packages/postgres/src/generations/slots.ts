/** The lengths of the spans of which sums are kept, the longest first. Each is a multiple of the next. */
const GRAINS_MS = [24 * 60 * 60 * 1000, 3 * 60 * 60 * 1000, 30 * 60 * 1000] as const;

/** A part of a bucket; without a grain it has to be read from rows. */
export interface Slot {
  readonly bucket: number;
  readonly grainMs: number | null;
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
}

interface Buckets {
  readonly startMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
}

/** Divides what is in buckets and in a span into as few parts as there can be, of which sums are kept where possible. */
export function toSlots({ startMs, bucketMs, buckets }: Buckets, fromMs: number, toMs: number): Slot[] {
  const slots: Slot[] = [];
  const first = Math.max(0, Math.floor((fromMs - startMs) / bucketMs));
  for (let bucket = first; bucket < buckets; bucket += 1) {
    const start = Math.max(fromMs, startMs + bucket * bucketMs);
    const end = Math.min(toMs, startMs + (bucket + 1) * bucketMs);
    if (start >= toMs) break;
    addSlots(slots, bucket, start, end);
  }
  return slots;
}

function addSlots(slots: Slot[], bucket: number, fromMs: number, toMs: number, from = 0): void {
  const grainMs = GRAINS_MS[from];
  if (grainMs === undefined) {
    if (fromMs < toMs) slots.push({ bucket, grainMs: null, fromMs, toMs });
    return;
  }
  const start = Math.ceil(fromMs / grainMs) * grainMs;
  const end = Math.floor(toMs / grainMs) * grainMs;
  if (start >= end) {
    addSlots(slots, bucket, fromMs, toMs, from + 1);
    return;
  }
  addSlots(slots, bucket, fromMs, start, from + 1);
  slots.push({ bucket, grainMs, fromMs: start, toMs: end });
  addSlots(slots, bucket, end, toMs, from + 1);
}
