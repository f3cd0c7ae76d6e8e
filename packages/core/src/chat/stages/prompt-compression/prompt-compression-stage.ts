import type { Stage } from '../stage.ts';
import { createFit } from './shorten-prompt.ts';

/** Shortens prompts that are too long for an endpoint, where the request admits it (wire.md 9.2). */
export const promptCompressionStage: Stage = {
  name: 'context-compression',
  plugins: ['context-compression'],
  plan({ call, plan, pipeline }) {
    const fit = createFit(call.request, plan.endpoints, pipeline);
    return fit === null ? null : { fit };
  },
};
