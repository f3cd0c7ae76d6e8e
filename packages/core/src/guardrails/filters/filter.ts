/** What a guardrail does about a match. */
export type FilterAction = 'block' | 'redact' | 'flag';

/** A piece of normalised text, in UTF-16 units; `end` is the first unit behind it. Never empty. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * One check of a guardrail. It sees normalised text (`normaliseText`) and says where in it something is; what is done
 * about it is the guardrail's. A filter that throws closes the way: the call is refused.
 *
 * `findAll` and `endAt` must agree: each match of the one is the next place where the other answers something.
 */
export interface Filter {
  /** For people, and in the message of a refusal: `Credit card`. */
  readonly label: string;
  /** Stands for what is redacted: `[CREDIT_CARD]`. */
  readonly placeholder: string;
  /**
   * A pattern of the linear engine that matches wherever a match begins, and may match elsewhere: texts in which it
   * does not match are not looked at any further. Null looks at every text.
   */
  readonly trigger: string | null;
  /** All matches in order. They do not overlap. */
  findAll(text: string): readonly Span[];
  /** The end of the match that begins exactly there, or null. A filter without it cannot guard answers. */
  readonly endAt?: ((text: string, at: number) => number | null) | undefined;
}
