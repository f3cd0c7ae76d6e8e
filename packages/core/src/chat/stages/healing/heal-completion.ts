import type { ChatChunk } from '../../../wire/chat/chat-chunk.ts';
import type { ChatCompletionRequest } from '../../../wire/chat/chat-completion.ts';
import { healJson } from './heal-json.ts';
import { hasPlugin } from '../../plugins.ts';
import type { PipelineStage } from '../../../wire/chat/pipeline-stage.ts';
import type { BeginAnswer } from '../../../dispatch/run-attempts.ts';

/** Whether the answer is to be mended: only one that comes whole, and was to be JSON (api reference 9.1). */
export function wantsHealing({ plugins, stream, response_format: format }: ChatCompletionRequest): boolean {
  if (stream === true || !hasPlugin(plugins, 'response-healing')) return false;
  return format?.type === 'json_object' || format?.type === 'json_schema';
}

/** Mends the JSON of an answer that came to its end by itself; one that was cut off stays as it is. */
export function healAnswer(begin: BeginAnswer, pipeline: PipelineStage[]): BeginAnswer {
  return async (options) => {
    const answer = await begin(options);
    let isHealed = false;
    const first = answer.first.map((chunk): ChatChunk => ({
      ...chunk,
      choices: chunk.choices.map((choice) => {
        const { content } = choice.delta;
        const healed = choice.finish_reason === 'stop' && content ? healJson(content) : null;
        if (healed === null) return choice;
        isHealed = true;
        return { ...choice, delta: { ...choice.delta, content: healed } };
      }),
    }));
    if (isHealed) pipeline.push({ type: 'response_healing', name: 'response-healing', summary: 'JSON was mended' });
    return Object.assign(answer, { first });
  };
}
