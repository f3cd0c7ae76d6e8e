import { z } from 'zod';

import { checkWith, isObject } from '../../foundation/parse.ts';

const predictionSchema = z.object({
  id: z.string().min(1),
  status: z.string(),
  /** Absent until there is one. */
  output: z.unknown().optional(),
  error: z.string().nullish(),
});

/** One run of a model at Replicate, whatever it makes. */
export type Prediction = z.infer<typeof predictionSchema>;

/** Reads a prediction; undefined where a response holds none. */
export const readPrediction = (value: unknown): Prediction | undefined => checkWith(predictionSchema, value).data;

const STATUSES = new Map([
  ['starting', 'pending'],
  ['processing', 'in_progress'],
  ['succeeded', 'completed'],
  ['failed', 'failed'],
  ['canceled', 'cancelled'],
  ['aborted', 'cancelled'],
] as const);
type Status = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'unknown';

/** The status of a prediction in our words. */
export const statusOf = ({ status }: Prediction): Status =>
  (STATUSES as ReadonlyMap<string, Status>).get(status) ?? 'unknown';

/**
 * The addresses of what was made. Upstream gives one, several, or an object whose values are addresses: that differs
 * from model to model.
 */
export function urlsOf(output: unknown): string[] {
  if (typeof output === 'string') return output === '' ? [] : [output];
  return isObject(output) ? Object.values(output).flatMap(urlsOf) : [];
}
