import type { ReadablePage } from '@model-gateway/core';

/** Input of a reading. */
export type ReadingTask =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array };

/** Result of a reading, by the kind of task. */
export interface ReadingResult {
  readonly html: ReadablePage;
  readonly pdf: readonly string[];
}
