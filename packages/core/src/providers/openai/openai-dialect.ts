/** How one server's form of the OpenAI wire differs from the common one. Data, so that a new provider needs no code. */
export interface OpenAiDialect {
  /** The name under which the output limit is sent. OpenAI's reasoning models refuse the older one. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Request fields that the server answers with an error instead of ignoring them. */
  readonly unsupportedParameters: ReadonlySet<string>;
  /** Whether usage must be asked for when streaming. */
  readonly streamUsage: 'on-request' | 'always';
}

/** What most servers that speak this wire accept. */
export const COMMON_DIALECT: OpenAiDialect = {
  maxTokensField: 'max_tokens',
  unsupportedParameters: new Set(),
  streamUsage: 'on-request',
};
