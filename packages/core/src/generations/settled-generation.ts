import type { Principal } from '../http/principal.ts';
import type { GenerationRecord, StoredContent } from '../stores/store.ts';
import type { Usage } from '../wire/chat/chat-chunk.ts';

/** A call that has ended, ready to be recorded. */
export interface SettledGeneration {
  /** The usage as it is sent to the caller; undefined when nothing was used. */
  readonly usage: Usage | undefined;
  readonly record: GenerationRecord;
  readonly principal: Principal;
  /** Null when contents are not to be stored. */
  readonly content: StoredContent | null;
  /** About how long the content is in characters. */
  readonly contentLength: number;
}
