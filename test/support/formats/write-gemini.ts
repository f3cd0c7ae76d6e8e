import type { MadeChat, MadeMessage, MadePart } from './chats.ts';

/**
 * The part of a chat that Gemini's form can say: it has no names of files, no `strict`, no switch against parallel calls,
 * and either a budget or a level.
 */
export function inWordsOfGemini({
  messages,
  reasoning,
  response_format: format,
  parallel_tool_calls: _parallel,
  tools,
  stream = false,
  ...rest
}: MadeChat): MadeChat {
  const { max_tokens, effort } = reasoning ?? {};
  const level = effort === undefined ? undefined : toLevel(effort);
  const amount = level !== undefined ? { effort: level } : max_tokens === undefined ? undefined : { max_tokens };
  return {
    ...rest,
    stream,
    messages: messages.map((message): MadeMessage => {
      if (message.role === 'user' && typeof message.content !== 'string') {
        return { role: 'user', content: message.content.map(withNameOfType) };
      }
      if (message.role !== 'assistant') return message;
      const { reasoning_details: _details, ...turn } = message;
      return turn.content === null && turn.tool_calls === undefined ? { ...turn, content: 'Yes.' } : turn;
    }),
    ...(tools && {
      tools: tools.map(({ type, function: { strict: _strict, ...called } }) => ({ type, function: called })),
    }),
    ...(amount !== undefined && { reasoning: { ...amount, ...HIDDEN } }),
    ...(format && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: format.json_schema.schema } as typeof format.json_schema,
      },
    }),
  };
}

/** Thoughts are hidden where they are not asked for. */
const HIDDEN: object = { exclude: true };

const LEVELS = ['minimal', 'low', 'medium', 'high', 'xhigh'];
const toLevel = (effort: string): string => (LEVELS.includes(effort) ? effort : 'high');

const withNameOfType = (part: MadePart): MadePart =>
  part.type === 'file' ? { type: 'file', file: { ...part.file, filename: 'file.pdf' } } : part;

/** The chat in Gemini's form, as its documentation describes it. */
export function writeGemini(chat: MadeChat): object {
  const {
    messages,
    tools,
    tool_choice: choice,
    reasoning,
    response_format: format,
    max_tokens,
    temperature,
    top_p,
    ...shared
  } = inWordsOfGemini(chat);
  const system = messages[0]?.role === 'system' ? messages[0].content : undefined;
  const config = {
    ...(max_tokens !== undefined && { maxOutputTokens: max_tokens }),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(reasoning && {
      thinkingConfig: reasoning.effort
        ? { thinkingLevel: reasoning.effort.toUpperCase() }
        : { thinkingBudget: reasoning.max_tokens },
    }),
    ...(format && { responseMimeType: 'application/json', responseJsonSchema: format.json_schema.schema }),
  };
  return {
    ...shared,
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    contents: toContents(messages.filter(({ role }) => role !== 'system')),
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map(({ function: { name, description, parameters } }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    ...(choice !== undefined && { toolConfig: { functionCallingConfig: toCalling(choice) } }),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

function toCalling(choice: NonNullable<MadeChat['tool_choice']>): object {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.function.name] };
  return { mode: { none: 'NONE', auto: 'AUTO', required: 'ANY' }[choice] };
}

interface Content {
  readonly role: string;
  readonly parts: object[];
}

/** Results of tools and what the user says after them are one turn. */
function toContents(messages: readonly MadeMessage[]): Content[] {
  const contents: Content[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    const content = toContent(message, names);
    const last = contents.at(-1);
    const isResult = message.role === 'tool' || (last !== undefined && 'functionResponse' in (last.parts[0] ?? {}));
    if (last?.role === 'user' && content.role === 'user' && isResult) last.parts.push(...content.parts);
    else contents.push(content);
  }
  return contents;
}

function toContent(message: MadeMessage, names: Map<string, string>): Content {
  if (message.role === 'tool') {
    const { tool_call_id: id, content } = message;
    return { role: 'user', parts: [{ functionResponse: { id, name: names.get(id), response: { output: content } } }] };
  }
  if (message.role !== 'assistant') {
    const { content } = message;
    return { role: 'user', parts: typeof content === 'string' ? [{ text: content }] : content.map(toPart) };
  }
  const calls = message.tool_calls ?? [];
  for (const { id, function: called } of calls) names.set(id, called.name);
  return {
    role: 'model',
    parts: [
      ...(message.content === null ? [] : [{ text: message.content }]),
      ...calls.map(({ id, function: { name, arguments: args } }) => ({
        functionCall: { id, name, args: JSON.parse(args) as unknown },
      })),
    ],
  };
}

function toPart(part: MadePart): object {
  if (part.type === 'text') return { text: part.text };
  const address = part.type === 'file' ? part.file.file_data : part.image_url.url;
  const { mimeType, data } = /^data:(?<mimeType>[^;]+);base64,(?<data>.*)$/.exec(address)?.groups ?? {};
  if (data !== undefined) return { inlineData: { mimeType, data } };
  return { fileData: { mimeType: part.type === 'file' ? 'application/pdf' : 'image/png', fileUri: address } };
}
