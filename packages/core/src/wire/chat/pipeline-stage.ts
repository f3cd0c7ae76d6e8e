import { z } from 'zod';

/** The effect of a stage on a call (wire.md 12). Never contents. */
export const pipelineStageSchema = z.object({
  type: z.enum(['guardrail', 'plugin', 'server_tools', 'response_healing', 'context_compression']),
  name: z.string(),
  summary: z.string().optional(),
  guardrail_id: z.string().optional(),
  /** Whom the guardrail was put on. */
  guardrail_scope: z.enum(['api-key', 'member', 'workspace']).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type PipelineStage = z.infer<typeof pipelineStageSchema>;
export type GuardrailScope = NonNullable<PipelineStage['guardrail_scope']>;

/** The effect of one guardrail. */
export interface GuardrailStage extends PipelineStage {
  readonly type: 'guardrail';
  readonly name: 'content-filter' | 'regex_pi_detection';
  readonly guardrail_id: string;
  readonly guardrail_scope: GuardrailScope;
  readonly data: {
    readonly action: 'blocked' | 'redacted' | 'flagged';
    readonly engines: readonly string[];
    readonly flagged?: boolean;
    readonly detected?: boolean;
    readonly matched_entity_types?: readonly string[];
    readonly patterns?: readonly string[];
  };
}
