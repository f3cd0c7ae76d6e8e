/** A key in plain text in the configuration: valid while it is there, never stored. */
export interface BootstrapKey {
  readonly key: string;
  readonly kind: 'api' | 'management';
  readonly name: string;
  /** Used by the program around the gateway alone, and in no list for people. */
  readonly isInternal?: boolean | undefined;
  /** Known to anybody, as those of a demo: the sign-in page offers it. */
  readonly isPublic?: boolean | undefined;
}
