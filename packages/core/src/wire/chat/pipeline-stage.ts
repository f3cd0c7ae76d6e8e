/** The effect of a stage on a call, in the form of the wire (wire.md 12). Never contents. */
export type PipelineStage = {
  readonly type: 'guardrail' | 'plugin' | 'server_tools' | 'response_healing' | 'context_compression';
  readonly name: string;
  readonly summary?: string;
  readonly data?: Readonly<Record<string, unknown>>;
};

/**
 * The effect of one guardrail on a call, in the form of the wire (wire.md 12). A type rather than an interface, so that
 * it is assignable to a stage of any kind.
 */
export type GuardrailStage = {
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
};

/** Whom a guardrail was put on, by the word that the wire has for it. */
export type GuardrailScope = 'api-key' | 'member' | 'workspace';
