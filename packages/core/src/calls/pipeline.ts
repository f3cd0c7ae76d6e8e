import type { PipelineStage } from '../wire/chat/pipeline-stage.ts';

/** The effects of guardrails, plugins and tools on one call, in order. It may grow until the call has ended. */
export interface Pipeline {
  readonly stages: readonly PipelineStage[];
  /** The one way to add to it. */
  add(stage: PipelineStage): void;
}

/** Creates an empty pipeline. */
export function createPipeline(): Pipeline {
  const stages: PipelineStage[] = [];
  return { stages, add: (stage) => void stages.push(stage) };
}
