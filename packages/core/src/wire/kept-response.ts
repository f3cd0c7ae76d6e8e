/**
 * What is stored of a response (`POST /responses`) beside its request and its texts, so that it can be given back and
 * continued.
 */
export interface KeptResponse {
  /** The members of the response that its request does not say. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Its items. What the content has at another place is named there (`KeptText`). */
  readonly items: readonly unknown[];
}

/** Stands in an item for a text of the content: a part of the completion or the reasoning, or what a call was made with. */
export type KeptText =
  | { readonly $text: 'completion' | 'reasoning'; readonly at: number; readonly length: number }
  | { readonly $text: 'arguments' | 'input'; readonly call: number };
