import { z } from 'zod';

const name = z.string().nullish();

/** Names of a call for broadcasts (wire.md 18). Any other key is the caller's own. */
export const traceSchema = z.looseObject({
  trace_id: name,
  trace_name: name,
  span_name: name,
  generation_name: name,
  parent_span_id: name,
});
