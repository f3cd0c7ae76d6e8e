/** What is looked at, each layer on top of the one before. */
export type Layer = 'address' | 'dns' | 'tcp' | 'tls' | 'auth' | 'call';

/** What was found at one layer. After a `failed` one nothing above it is looked at. */
export interface Finding {
  readonly layer: Layer;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One line, what was seen. */
  readonly detail: string;
  /** One line, what to do about it. */
  readonly advice?: string | undefined;
}
