/** A generation as JSON texts. */
export interface JournaledRecord {
  readonly id: string;
  readonly record: string;
  readonly content: string | null;
}
