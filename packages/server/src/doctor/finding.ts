/** Layers that are checked, each on top of the one before. */
export type Layer = 'address' | 'dns' | 'tcp' | 'tls' | 'auth' | 'call';

/** Result of the check of one layer. After a `failed` layer the layers above it are not checked. */
export interface Finding {
  readonly layer: Layer;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One line that says what was found. */
  readonly detail: string;
  /** One line that says what to do about it. */
  readonly advice?: string | undefined;
  /** Absent where nothing was waited for. */
  readonly durationMs?: number | undefined;
}
