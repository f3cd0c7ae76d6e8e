import { firstValue, type HeaderMap } from '../../http/request.ts';
import { type ChatCompletionRequest, parseChatCompletion } from '../../wire/chat-request.ts';
import type { MessagesRequest, MessagesTool } from '../../wire/messages.ts';
import { MESSAGES_SHARED_FIELDS } from '../../wire/values.ts';
import { toChatMessages } from './to-chat-messages.ts';

const SHARED_FIELDS = ['model', 'max_tokens', 'cache_control', ...MESSAGES_SHARED_FIELDS];

/** In place of the messages, which have been checked, and are converted without another check. */
const NO_MESSAGES = [{ role: 'user', content: '' }];

/** Converts a checked request. Throws `invalid_request` for a wrong field that both forms share. */
export function toChatRequest(body: MessagesRequest, headers: HeaderMap): ChatCompletionRequest {
  const shared: Record<string, unknown> = { messages: NO_MESSAGES };
  for (const field of SHARED_FIELDS) if (body[field] !== undefined) shared[field] = body[field];
  if (body.fallbacks) shared['models'] = body.fallbacks.map(({ model }) => model);
  // A session that the caller names for the gateway goes before that of its agent.
  const isNamed = shared['session_id'] != null || headers['x-session-id'] !== undefined;
  const sessionId = isNamed ? shared['session_id'] : sessionOf(body, headers);
  const tools = toChatTools(body.tools);
  const { stop_sequences: stop, metadata } = body;
  return {
    ...parseChatCompletion(shared),
    messages: toChatMessages(body),
    ...(tools && { tools, ...toChatToolChoice(body.tool_choice) }),
    ...(stop && stop.length > 0 && { stop }),
    ...(metadata?.user_id && shared['user'] === undefined && { user: metadata.user_id }),
    ...(typeof sessionId === 'string' && { session_id: sessionId }),
    ...toReasoning(body),
    ...toFormat(body),
    ...toTier(body),
  };
}

function toReasoning({ thinking, output_config: output }: MessagesRequest): Pick<ChatCompletionRequest, 'reasoning'> {
  const effort = output?.effort ?? undefined;
  switch (thinking?.type) {
    case 'enabled':
      return { reasoning: { max_tokens: thinking.budget_tokens } };
    case 'adaptive':
      return { reasoning: effort === undefined ? { enabled: true } : { effort } };
    // None is what a request without `thinking` asks for, too; models that always reason do so.
    case 'disabled':
      return {};
    default:
      return effort === undefined ? {} : { reasoning: { effort } };
  }
}

function toFormat({ output_config: output }: MessagesRequest): Pick<ChatCompletionRequest, 'response_format'> {
  const { format } = output ?? {};
  if (!format) return {};
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'output', schema: format.schema, strict: true } },
  };
}

const TIERS: ReadonlyMap<string, ChatCompletionRequest['service_tier']> = new Map([
  ['auto', 'auto'],
  ['standard_only', 'default'],
  ...(['default', 'flex', 'priority', 'scale', 'fast'] as const).map((tier) => [tier, tier] as const),
]);

/** `speed` is the newer name (wire.md 22.1). An unknown tier goes upstream as it is. */
function toTier({ speed, service_tier: tier }: MessagesRequest): Pick<ChatCompletionRequest, 'service_tier'> {
  const asked = speed === 'fast' ? 'fast' : TIERS.get(tier ?? '');
  return asked === undefined ? {} : { service_tier: asked };
}

const MAX_SESSION_LENGTH = 256;

/** The session of an agent, which keeps its calls together and at one endpoint. */
function sessionOf({ metadata }: MessagesRequest, headers: HeaderMap): string | undefined {
  const named = firstValue(headers['x-claude-code-session-id']) ?? readUserId(metadata?.user_id ?? '');
  return named !== undefined && named.length <= MAX_SESSION_LENGTH ? named : undefined;
}

/** Claude Code names its session in the user's id: at its end, or in JSON. */
function readUserId(userId: string): string | undefined {
  const { session } = /(?:_session_|"session_id":\s?")(?<session>[\w-]+)/.exec(userId)?.groups ?? {};
  return session;
}

type ChatTools = NonNullable<ChatCompletionRequest['tools']>;

/** Parameters of tools that the caller runs, whose form models of Anthropic's know by name. */
const KNOWN_FORMS: readonly (readonly [RegExp, string, Readonly<Record<string, unknown>>])[] = [
  [
    /^bash_/,
    'Runs a command in a shell that stays open, and returns its output.',
    {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command to run' },
        restart: { type: 'boolean', description: 'Restarts the shell instead' },
      },
    },
  ],
  [
    /^text_editor_/,
    'Views and edits text files.',
    {
      type: 'object',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
        path: { type: 'string' },
        file_text: { type: 'string', description: 'For create: the content' },
        old_str: { type: 'string', description: 'For str_replace: the text to replace, which must occur exactly once' },
        new_str: { type: 'string', description: 'For str_replace: the new text' },
        insert_line: { type: 'integer', description: 'For insert: the number of the line to insert after' },
        insert_text: { type: 'string', description: 'For insert: the text' },
        view_range: { type: 'array', items: { type: 'integer' } },
      },
      required: ['command', 'path'],
    },
  ],
];

/**
 * Converts tools. Those that only Anthropic runs are left out: an upstream of its form gets them in the native form, and
 * others cannot run them.
 */
function toChatTools(tools: MessagesRequest['tools']): ChatTools | undefined {
  const converted = (tools ?? []).flatMap((tool): ChatTools => toChatTool(tool));
  return converted.length === 0 ? undefined : converted;
}

function toChatTool(tool: MessagesTool): ChatTools {
  const { type, name, description, input_schema: schema, strict, cache_control: mark } = tool;
  const isOwn = type === undefined || type === null || type === 'custom';
  // Tools that this gateway runs have the same names in every format.
  if (!isOwn && /^(openrouter|service):/.test(type)) return [tool as ChatTools[number]];
  const known = isOwn ? undefined : KNOWN_FORMS.find(([form]) => form.test(type));
  if (name === undefined || (!isOwn && known === undefined)) return [];
  const about = description ?? known?.[1];
  return [
    {
      type: 'function',
      function: {
        name,
        ...(about !== undefined && { description: about }),
        parameters: schema ?? known?.[2] ?? { type: 'object', properties: {} },
        ...(typeof strict === 'boolean' && { strict }),
      },
      ...(mark && { cache_control: { type: 'ephemeral' as const, ...(mark.ttl && { ttl: mark.ttl }) } }),
    },
  ];
}

/** Converts the choice of tools; nothing without tools, as other upstreams refuse a choice then. */
function toChatToolChoice(
  choice: MessagesRequest['tool_choice'],
): Pick<ChatCompletionRequest, 'tool_choice' | 'parallel_tool_calls'> {
  if (choice === null || choice === undefined) return {};
  if (choice.type === 'none') return { tool_choice: 'none' };
  const parallel = choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {};
  switch (choice.type) {
    case 'auto':
      return { tool_choice: 'auto', ...parallel };
    case 'any':
      return { tool_choice: 'required', ...parallel };
    case 'tool':
      return { tool_choice: { type: 'function', function: { name: choice.name } }, ...parallel };
  }
}
