/** An index of a table that may be large before it is built. A changed one gets another name. */
export interface Index {
  readonly table: 'generations' | 'video_jobs' | 'broadcasts';
  readonly name: string;
  /** What follows the table in `create index`. */
  readonly definition: string;
}

/** What a list can be filtered or sorted by. */
const SORTED = {
  model: 'model',
  provider: 'provider_name',
  principal: 'principal_id',
  user: 'user_id',
  app: 'app',
  session: 'session_id',
  status: 'status',
  duration: 'duration_ms',
  first_token: 'first_token_ms',
  prompt_tokens: 'prompt_tokens',
  completion_tokens: 'completion_tokens',
  speed: 'tokens_per_second',
  attempts: 'attempts',
};

const ofGenerations = (name: string, definition: string): Index => ({
  table: 'generations',
  name: `generations_${name}`,
  definition,
});

/** The indexes that are built beside calls, once the tables have the columns of this version. */
export const INDEXES: readonly Index[] = [
  // In the order in which generations are followed.
  ofGenerations('order', '(written_in, id)'),
  // It holds the facts that counts, sums and charts by session need, so that these read a tenth of the table.
  ofGenerations(
    'time',
    `(created_at_ms desc, id desc) include (day, model, provider_name, principal_id, user_id, app, session_id, status,
      cost_nano, first_token_ms, tokens_per_second)`,
  ),
  ...Object.entries(SORTED).map(([name, column]) => ofGenerations(name, `(${column}, created_at_ms desc, id desc)`)),
  // Calls of unknown cost come first, as they cost nothing: a list with the least first passes over them here.
  ofGenerations('cost', '(cost_nano, created_at_ms desc, id desc, is_cost_known)'),
  ofGenerations('unknown_cost', '(created_at_ms desc, id desc) where not is_cost_known'),

  // With all that a count looks at, so that it reads no rows.
  {
    table: 'video_jobs',
    name: 'video_jobs_list',
    definition: '(created_at_ms, position, status, ages_from_ms)',
  },
  {
    table: 'video_jobs',
    name: 'video_jobs_announcements',
    definition: '(created_at_ms, position, announcement, ages_from_ms) where announcement is not null',
  },
  {
    table: 'broadcasts',
    name: 'broadcasts_deliveries',
    definition: '(position, state, ages_from_ms) where destination_id is not null',
  },
  {
    table: 'broadcasts',
    name: 'broadcasts_of_destination',
    definition: '(destination_id, position, state, ages_from_ms) where destination_id is not null',
  },
];
