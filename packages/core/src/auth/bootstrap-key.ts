/** A key that configuration gives in plain text: valid while it stands there, never stored. */
export interface BootstrapKey {
  readonly key: string;
  readonly kind: 'api' | 'management';
  readonly name: string;
}
