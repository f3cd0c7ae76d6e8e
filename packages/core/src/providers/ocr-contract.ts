import type { OnSent } from '../wire/stored-request.ts';

export interface OcrCall {
  /** The provider's own name of the model. */
  readonly providerModel: string;
  /** A PDF as a data URL. */
  readonly document: string;
  /** As in `ChatCall`. */
  readonly onSent?: OnSent | undefined;
  /** Aborting closes the upstream connection at once. */
  readonly signal: AbortSignal;
  /** Limit on the whole call. */
  readonly timeoutMs: number;
}

export interface OcrResult {
  /** The pages in Markdown, in their order. */
  readonly pages: readonly string[];
  /** The pages that upstream charges. */
  readonly chargedPages: number;
}
