import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { MessagesRequest, MessagesTool } from '../../wire/messages.ts';

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
        restart: { type: 'boolean', description: 'Starts the shell anew instead' },
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
        old_str: { type: 'string', description: 'For str_replace: the text to replace, which must be there once' },
        new_str: { type: 'string', description: 'For str_replace: the new text' },
        insert_line: { type: 'integer', description: 'For insert: the line after which it is put' },
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
export function toChatTools(tools: MessagesRequest['tools']): ChatTools | undefined {
  const converted = (tools ?? []).flatMap((tool): ChatTools => toChatTool(tool));
  return converted.length === 0 ? undefined : converted;
}

function toChatTool(tool: MessagesTool): ChatTools {
  const { type, name, description, input_schema: schema, strict, cache_control: mark } = tool;
  const isOwn = type === undefined || type === null || type === 'custom';
  // Tools that this gateway runs have the same names on every door.
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
export function toChatToolChoice(
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
