import type { DataRegion } from '../wire/fields.ts';

/** The region of the host that a call came in by. */
export interface CallRegion {
  /** As endpoints name it: no endpoint outside of it serves the call. */
  readonly name: string;
  /** Which of the regions of the public API it is. */
  readonly dataRegion: DataRegion;
}
