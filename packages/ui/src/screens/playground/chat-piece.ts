/** A chunk of a stream or a whole completion, as far as it is read here. */
export interface WireChunk {
  readonly id?: string;
  readonly provider?: string;
  readonly error?: { readonly code: number; readonly message: string };
  readonly choices?: readonly {
    readonly delta?: WireText;
    readonly message?: WireText;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: WireUsage | null;
}

interface WireText {
  readonly content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly unknown[];
}

export interface WireUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cost?: number | null;
}

/** Addition of a chunk to a completion. */
export interface ChatPiece {
  readonly generationId?: string;
  readonly provider?: string;
  readonly text?: string;
  readonly reasoning?: string;
  readonly finishReason?: string;
  readonly usage?: WireUsage;
  readonly toolCalls?: number;
}

export function toPiece({ id, provider, choices, usage }: WireChunk): ChatPiece {
  const choice = choices?.[0];
  const said = choice?.delta ?? choice?.message;
  return {
    ...(id && { generationId: id }),
    ...(provider && { provider }),
    ...(said?.content && { text: said.content }),
    ...(said?.reasoning && { reasoning: said.reasoning }),
    ...(said?.tool_calls && { toolCalls: said.tool_calls.length }),
    ...(choice?.finish_reason && { finishReason: choice.finish_reason }),
    ...(usage && { usage }),
  };
}
