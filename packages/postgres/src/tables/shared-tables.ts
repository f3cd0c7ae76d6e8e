/** The tables that every process has in memory, as one table of rows. */
export interface SharedTables {
  /** One row. Whoever changes a table locks it, and raises it. */
  readonly table_version: { readonly version: number };
  readonly table_rows: {
    readonly table_name: string;
    readonly id: string;
    /** Rows of a table are in this order. */
    readonly position: number;
    /** JSON; null once the row is removed. */
    readonly row: string | null;
    /** The version that wrote it. */
    readonly version: number;
  };
}
