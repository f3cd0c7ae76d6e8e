import type { RowTables } from './rows/row-tables.ts';
import type { SharedTables } from './tables/shared-tables.ts';

/** The tables of the SQL schema `gateway`. Each room declares its own. */
export interface Database extends SharedTables, RowTables {}
