import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { Spent, SpentQuery } from '@model-gateway/core';
import { sql } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { DatabaseConnection } from '../connection/connection.ts';

type Database = DatabaseConnection['database'];

interface Turn {
  readonly queries: SpentQuery[];
  /** In the order of the queries. */
  readonly found: Promise<readonly Spent[]>;
}

const NOTHING: Spent = { creditsNanoUsd: 0, byokNanoUsd: 0 };

/**
 * Makes the function that sums up what was spent. All that is asked in one turn of the event loop is one statement: a
 * page of keys asks for four sums of each key at once.
 */
export function createSpentTogether(database: Database): (query: SpentQuery) => Promise<Spent> {
  let turn: Turn | undefined;
  const beginTurn = (): Turn => {
    const queries: SpentQuery[] = [];
    const found = endOfTurn().then(() => {
      turn = undefined;
      return sumUp(database, queries);
    });
    return { queries, found };
  };
  return async (query) => {
    turn ??= beginTurn();
    const place = turn.queries.push(query) - 1;
    return (await turn.found)[place] ?? NOTHING;
  };
}

async function sumUp(database: Database, queries: readonly SpentQuery[]): Promise<readonly Spent[]> {
  const spenders = queries.map(spenderOf);
  const kinds = spenders.map(([kind]) => kind);
  const ids = spenders.map(([, id]) => toColumnId(id));
  const days = queries.map(({ since }) => since ?? '-infinity');
  const { rows } = await sql<{ credits: string; byok: string }>`
    select credits, byok
    from unnest(${kinds}::text[], ${ids}::text[], ${days}::date[]) with ordinality as asked (kind, id, since, place),
      lateral (
        select coalesce(sum(credits_nano), 0)::text as credits, coalesce(sum(byok_nano), 0)::text as byok
        from gateway.spending as s where s.kind = asked.kind and s.id = asked.id and s.day >= asked.since
      ) as sums
    order by place`.execute(database);
  return rows.map(({ credits, byok }) => ({ creditsNanoUsd: Number(credits), byokNanoUsd: Number(byok) }));
}

function spenderOf({ principalId, userId, workspaceId }: SpentQuery): readonly [kind: string, id: string] {
  if (principalId !== undefined) return ['key', principalId];
  if (userId !== undefined) return ['member', userId];
  return workspaceId === undefined ? ['account', ''] : ['workspace', workspaceId];
}
