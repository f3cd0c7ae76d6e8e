import type { ReadablePage } from '@model-gateway/core';

export type ReadingTask =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array };

export interface ReadingResult {
  readonly html: ReadablePage;
  readonly pdf: readonly string[];
}
