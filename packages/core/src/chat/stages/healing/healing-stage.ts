import type { Pipeline } from '../../../calls/model-call.ts';
import type { ChatChunk } from '../../../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import type { Begin, Stage } from '../stage.ts';
import { healJson } from './heal-json.ts';

/** Repairs the JSON of completions, where the request requires it (wire.md 9.1). */
export const healingStage: Stage = {
  plugins: ['response-healing'],
  plan: ({ call, pipeline }) => (isJsonWhole(call.request) ? { begin: (next) => heal(next, pipeline) } : null),
};

/** Whether the request is for an unstreamed completion in JSON. */
function isJsonWhole({ stream, response_format: format }: ChatCompletionRequest): boolean {
  return stream !== true && (format?.type === 'json_object' || format?.type === 'json_schema');
}

/** Repairs the JSON of a completion that ended by itself; one that was cut off remains unchanged. */
function heal(next: Begin, pipeline: Pipeline): Begin {
  return async (turn) => {
    const completion = await next(turn);
    let isHealed = false;
    const first = completion.first.map((chunk): ChatChunk => ({
      ...chunk,
      choices: chunk.choices.map((choice) => {
        const { content } = choice.delta;
        const healed = choice.finish_reason === 'stop' && content ? healJson(content) : null;
        if (healed === null) return choice;
        isHealed = true;
        return { ...choice, delta: { ...choice.delta, content: healed } };
      }),
    }));
    if (isHealed) pipeline.add({ type: 'response_healing', name: 'response-healing', summary: 'JSON was mended' });
    return { ...completion, first };
  };
}
