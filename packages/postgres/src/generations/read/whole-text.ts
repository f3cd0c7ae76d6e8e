import { type RawBuilder, sql } from 'kysely';

/** As `toFactText` ends what it has cut: `_` is any character of the hash. What ends like that by chance is whole. */
const CUT = `%…${'_'.repeat(16)}`;
const MAX_CHARS = 117;

/**
 * A fact as the record has it, where its column holds a part. The record is looked up for those rows alone, so that charts
 * read no more than an index. What PostgreSQL cannot hold is U+FFFD.
 */
export const toWholeText = (column: string): RawBuilder<unknown> => {
  const cut = sql.ref(`g.${column}`);
  // Without escaped backslashes, all that remains of an escape begins with one.
  const json = sql`regexp_replace(replace(w.record, ${'\\\\'}, ${String.raw`\u005c`}),
    ${String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`}, ${String.raw`\\ufffd`}, 'g')::json`;
  return sql`(case when ${cut} like ${CUT} and length(${cut}) <= ${MAX_CHARS}
    then (select ${json} #>> ${`{generation,${column}}`} from gateway.generations w where w.day = g.day and w.id = g.id)
    else ${cut} end)`;
};
