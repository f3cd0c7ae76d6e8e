/** What a store tells metrics of itself. What it cannot know at present is absent. */
export interface StoreFigures {
  /** Records that are acknowledged and not in the database yet. */
  readonly waitingRecords?: number | undefined;
  /** Size of the journal that holds them. */
  readonly journalBytes?: number | undefined;
  /** Size at which the journal takes no more contents. */
  readonly journalLimitBytes?: number | undefined;
  /** Transactions since the oldest row was frozen: of the whole database, and of the tables of the gateway. */
  readonly transactionAges?: { readonly database: number; readonly tables: number } | undefined;
  /** The age at which a table has to be frozen. */
  readonly freezeMaxAge?: number | undefined;
}
