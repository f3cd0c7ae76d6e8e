/** The process that a gateway runs in, as its host tells operators of it. */
export interface InstanceFacts {
  /** Of the program. */
  readonly version?: string | undefined;
  /** The name of the machine or container. */
  readonly host?: string | undefined;
  readonly processId?: number | undefined;
  /** Which of the workers of one host it is, from 1 on. */
  readonly worker?: { readonly number: number; readonly of: number } | undefined;
}
