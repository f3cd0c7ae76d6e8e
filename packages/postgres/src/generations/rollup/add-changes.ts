const FACTS = `created_at_ms, model, provider_name, endpoint_id, principal_id, user_id, workspace_id, app, status, cost_nano,
  is_byok, prompt_tokens, completion_tokens, reasoning_tokens, first_token_ms, tokens_per_second`;

/**
 * Notes rows of a table with the columns of generations for the sums, in the transaction that writes them: its `sign` is
 * 1 for a version that is new and -1 for one that is replaced. It waits for nobody, as it only inserts.
 */
export const toAddChanges = (incoming: string): string =>
  `insert into gateway.generation_changes (sign, ${FACTS}) select sign, ${FACTS} from ${incoming}`;
