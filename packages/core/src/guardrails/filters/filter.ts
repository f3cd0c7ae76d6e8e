import type { Steps } from '../../foundation/queues.ts';

/** The action of a guardrail on a match. */
export type FilterAction = 'block' | 'redact' | 'flag';

/** A piece of normalised text, in UTF-16 units; `end` is the first unit behind it. Never empty. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * One check of a guardrail: finds matches in normalised text (`normaliseText`); the guardrail decides on the action.
 * When it throws, the call is refused. `findAll` and `endAt` must agree: each match of the one is the next position
 * where the other returns a match.
 */
export interface Filter {
  /** Display name, also in the message of a refusal: `Credit card`. */
  readonly label: string;
  /** Stands for what is redacted: `[CREDIT_CARD]`. */
  readonly placeholder: string;
  /**
   * A pattern of the linear engine that matches in every text with a match, and may match in others: texts in which it
   * does not match are not looked at any further. Null looks at every text.
   */
  readonly trigger: string | null;
  /** Whether there is a match wherever the trigger matches, so that nothing is searched just to know that. */
  readonly isTriggerExact?: boolean | undefined;
  /** For completions, where it is tried at each position: it matches wherever a match begins. Default: the trigger. */
  readonly beginning?: string | undefined;
  /** All matches in order. They do not overlap. */
  findAll(text: string): readonly Span[];
  /** The same in steps, for long texts. Without it they are searched in one step. */
  readonly search?: ((text: string) => Steps<readonly Span[]>) | undefined;
  /** The length above which a text is long for this filter. Default: 16,384. */
  readonly longAbove?: number | undefined;
  /** Returns the end of the match that begins exactly there, or null. A filter without it cannot guard completions. */
  readonly endAt?: ((text: string, at: number) => number | null) | undefined;
}
