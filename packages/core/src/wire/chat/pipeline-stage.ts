/** What something between the caller and a model did to a call, as the wire tells it (api reference 12). Never contents. */
export type PipelineStage = {
  readonly type: 'guardrail' | 'plugin' | 'server_tools' | 'response_healing' | 'context_compression';
  readonly name: string;
  readonly summary?: string;
  readonly data?: Readonly<Record<string, unknown>>;
};
