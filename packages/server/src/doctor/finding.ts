/** Layers that are checked, each on top of the one before. */
export type Layer = 'address' | 'dns' | 'tcp' | 'tls' | 'auth' | 'call';

/** Result of the check of one layer. After a `failed` layer the layers above it are not checked. */
export interface Finding {
  readonly layer: Layer;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One line, what was seen. */
  readonly detail: string;
  /** One line, what to do about it. */
  readonly advice?: string | undefined;
}
