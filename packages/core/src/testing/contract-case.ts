/** A fact that an implementation must meet. `Make` makes what is tested; it is called anew for each case. */
export interface ContractCase<Make> {
  /** A sentence, unique in its list. */
  readonly title: string;
  /** Rejects with an error that says what was expected and what was found instead. */
  run(make: Make): Promise<void>;
}
