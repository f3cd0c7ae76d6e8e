import type { HeaderDescriptions } from '../http/operation.ts';

const METADATA = '`enabled`: the response includes how the call was routed';

/** The headers that every call to a model reads, for the API document. */
export const CALL_HEADERS: HeaderDescriptions = {
  'http-referer': 'Address of the application, kept with the generation; `Referer` where it is absent',
  'user-agent': 'Kept with the generation',
  traceparent: 'Trace and span that the call belongs to, for destinations, unless `trace` in the body names them',
  'x-session-id': 'Session that the call counts to, unless the body names one',
  'x-openrouter-metadata': `${METADATA}, in \`openrouter_metadata\``,
  'x-openrouter-experimental-metadata': 'Older name of `x-openrouter-metadata`',
  'x-service-experimental-metadata': `${METADATA}, in \`service_metadata\``,
};

/** The headers by which agents describe a call. Only routing rules read them. */
export const AGENT_HEADERS: HeaderDescriptions = {
  'x-claude-code-request-class': 'The role of the call in its agent; `background` is a small background task',
  'x-claude-code-agent-id': 'The call is made by a sub-agent',
  'x-claude-code-parent-agent-id': 'The agent that started the sub-agent that makes the call',
  'x-openai-subagent': 'The call is made by a sub-agent',
};

/** The headers of a response that a rate limit refuses, for the API document. */
export const RATE_LIMIT_HEADERS: HeaderDescriptions = {
  'x-ratelimit-limit': 'If a rate limit refuses the call: how many it allows in its period',
  'x-ratelimit-remaining': 'If a rate limit refuses the call: 0',
  'x-ratelimit-reset': 'If a rate limit refuses the call: when it admits the next one, in milliseconds since 1970',
};

/** The headers that responses to calls have, for the API document. */
export const CALL_RESPONSE_HEADERS: HeaderDescriptions = {
  'x-generation-id': 'Id of the generation, once the call has passed all checks',
  'x-gateway-session-notice': 'The limit that the session has reached, where the call goes on all the same',
  ...RATE_LIMIT_HEADERS,
};
