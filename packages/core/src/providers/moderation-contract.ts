import type { ModerationRequest, ModerationVerdict } from '../wire/moderations.ts';
import type { OnSent } from '../wire/stored-request.ts';

export interface ModerationCall {
  /** The checked request. `model` and `provider` in it are not for the provider. */
  readonly request: ModerationRequest;
  /** The provider's own name of the model. */
  readonly providerModel: string;
  /** As in `ChatCall`. */
  readonly onSent?: OnSent | undefined;
  /** Aborting closes the upstream connection at once. */
  readonly signal: AbortSignal;
  /** Limit on the whole call. */
  readonly timeoutMs: number;
}

export interface ModerationOutcome {
  /** In the order of the input. */
  readonly verdicts: readonly ModerationVerdict[];
  /** Absent where upstream reports no count, as OpenAI. */
  readonly promptTokens?: number | undefined;
  readonly upstreamId?: string | undefined;
}
