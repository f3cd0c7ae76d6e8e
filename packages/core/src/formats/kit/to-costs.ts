import type { Usage } from '../../wire/chat-chunk.ts';

/** What the gateway adds to the counts of any upstream. */
export function toCosts(usage: Usage | undefined): Record<string, unknown> {
  if (usage === undefined) return {};
  const { cost, is_byok, estimated, cost_details: details } = usage;
  return {
    ...(cost !== undefined && { cost }),
    ...(is_byok !== undefined && { is_byok }),
    ...(estimated !== undefined && { estimated }),
    ...(details !== undefined && { cost_details: details }),
  };
}
