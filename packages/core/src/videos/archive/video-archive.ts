/** A complete video in the archive. */
export interface ArchivedVideo {
  readonly contentType: string;
  readonly bytes: number;
  /** Yields the bytes from `start` up to and without `end`. Leaving early closes it. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** A video on its way in. */
export interface IncomingVideo {
  readonly contentType: string;
  /** Undefined where upstream does not report it. */
  readonly bytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Stores finished videos beyond the time that upstream stores them. */
export interface VideoArchive {
  /** Undefined when it is not stored, or not complete yet. */
  find(name: string): Promise<ArchivedVideo | undefined>;
  /**
   * Stores a video; older ones may be removed for it. Resolves when it would survive a crash of this process: false
   * when it is larger than the whole archive. Rejects, with nothing stored, when the body breaks off or the disk fails.
   */
  save(name: string, video: IncomingVideo): Promise<boolean>;
}

/** The name of one of a job's videos. */
export const toArchiveName = (jobId: string, index: number): string => `${jobId}-${index}`;
