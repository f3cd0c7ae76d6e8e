import type { HeaderDescriptions } from '../http/operation.ts';

const METADATA = '`enabled`: the response says how the call was routed';

/** The headers that every call to a model reads, for the API document. */
export const CALL_HEADERS: HeaderDescriptions = {
  'http-referer': 'Address of the application, kept with the generation; `Referer` where it is absent',
  'user-agent': 'Kept with the generation',
  'x-session-id': 'Session that the call counts to, unless the body names one',
  'x-openrouter-metadata': `${METADATA}, in \`openrouter_metadata\``,
  'x-openrouter-experimental-metadata': 'Older name of `x-openrouter-metadata`',
  'x-service-experimental-metadata': `${METADATA}, in \`service_metadata\``,
};

/** The headers by which agents say what a call is. Only rules for routing read them. */
export const AGENT_HEADERS: HeaderDescriptions = {
  'x-claude-code-request-class': 'What the call is to its agent; `background` is a small task beside its work',
  'x-claude-code-agent-id': 'The call is made by an agent that another one has started',
  'x-claude-code-parent-agent-id': 'The agent that has started the one that makes the call',
  'x-openai-subagent': 'The call is made by an agent that another one has started',
};

/** The headers of a response that a rate limit refuses, for the API document. */
export const RATE_LIMIT_HEADERS: HeaderDescriptions = {
  'x-ratelimit-limit': 'Where a rate limit refuses: how many are allowed in its period',
  'x-ratelimit-remaining': 'Where a rate limit refuses: 0',
  'x-ratelimit-reset': 'Where a rate limit refuses: when it admits the next one, in milliseconds since 1970',
};

/** The headers that responses to calls have, for the API document. */
export const CALL_RESPONSE_HEADERS: HeaderDescriptions = {
  'x-generation-id': 'Id of the generation, once the call has passed all checks',
  ...RATE_LIMIT_HEADERS,
};
