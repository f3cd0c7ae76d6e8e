/** A fact that an implementation must meet. A `Subject` is what `run` needs for its tests, such as a function that makes a store. */
export interface ContractCase<Subject> {
  /** A sentence, unique in its list. */
  readonly title: string;
  /** Rejects with an error that says what was expected and what was found instead. */
  run(subject: Subject): Promise<void>;
}
