import type { ReadablePage } from '@model-gateway/core';

/** What is to be read. */
export type ReadingTask =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array };

/** What came of it, by the kind of task. */
export interface ReadingResult {
  readonly html: ReadablePage;
  readonly pdf: readonly string[];
}
