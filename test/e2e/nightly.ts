/** All cases with `TEST_FULL=1`, else the first alone: the one in which most goes wrong. */
export const firstOrAll = <Case>(...cases: readonly [Case, ...Case[]]): readonly Case[] =>
  process.env['TEST_FULL'] === '1' ? cases : cases.slice(0, 1);
