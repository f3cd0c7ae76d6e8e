import type { MadeChat, MadeMessage, MadePart } from './chats.ts';

/** The chat in Anthropic's form, as its documentation describes it. */
export function writeMessages(chat: MadeChat): object {
  const { messages, tools, tool_choice, parallel_tool_calls, reasoning, response_format, ...shared } = chat;
  const system = messages[0]?.role === 'system' ? messages[0].content : undefined;
  const choice = tool_choice === undefined ? undefined : toChoice(tool_choice);
  const output = {
    ...(reasoning?.effort && { effort: reasoning.effort }),
    ...(response_format && { format: { type: 'json_schema', schema: response_format.json_schema.schema } }),
  };
  return {
    ...shared,
    ...(system !== undefined && { system }),
    messages: toTurns(messages.filter(({ role }) => role !== 'system')),
    ...(tools && {
      tools: tools.map(({ function: { name, description, parameters, strict } }) => ({
        name,
        description,
        input_schema: parameters,
        strict,
      })),
    }),
    ...(choice && {
      tool_choice: { ...choice, ...(parallel_tool_calls === false && { disable_parallel_tool_use: true }) },
    }),
    ...(reasoning?.max_tokens && { thinking: { type: 'enabled', budget_tokens: reasoning.max_tokens } }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
  };
}

function toChoice(choice: NonNullable<MadeChat['tool_choice']>): object {
  if (typeof choice === 'object') return { type: 'tool', name: choice.function.name };
  return { type: choice === 'required' ? 'any' : choice };
}

interface Turn {
  readonly role: string;
  readonly content: string | object[];
}

/** Results of tools and what the user says after them are one turn. */
function toTurns(messages: readonly MadeMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const turn = toMessagesTurn(message);
    if (last?.role === 'user' && turn.role === 'user' && Array.isArray(last.content)) {
      last.content.push(...(typeof turn.content === 'string' ? [{ type: 'text', text: turn.content }] : turn.content));
    } else turns.push(turn);
  }
  return turns;
}

function toMessagesTurn(message: MadeMessage): Turn {
  if (message.role === 'tool') {
    const { tool_call_id, content } = message;
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool_call_id, content }] };
  }
  if (message.role !== 'assistant') {
    const { role, content } = message;
    return { role, content: typeof content === 'string' ? content : content.map(toBlock) };
  }
  return {
    role: 'assistant',
    content: [
      ...(message.reasoning_details ?? []).map(({ text, signature }) => ({
        type: 'thinking',
        thinking: text,
        signature,
      })),
      ...(message.content === null ? [] : [{ type: 'text', text: message.content }]),
      ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
        type: 'tool_use',
        id,
        name,
        input: JSON.parse(args) as unknown,
      })),
    ],
  };
}

function toBlock(part: MadePart): object {
  if (part.type === 'text') return part;
  const address = part.type === 'file' ? part.file.file_data : part.image_url.url;
  const { media, data } = /^data:(?<media>[^;]+);base64,(?<data>.*)$/.exec(address)?.groups ?? {};
  const source = data === undefined ? { type: 'url', url: address } : { type: 'base64', media_type: media, data };
  return part.type === 'file' ? { type: 'document', source, title: part.file.filename } : { type: 'image', source };
}

/** The chat in the form of OpenAI's Responses, as its documentation describes it. */
export function writeResponses(chat: MadeChat): object {
  const { messages, tools, tool_choice, max_tokens, response_format, ...shared } = chat;
  const system = messages[0]?.role === 'system' ? messages[0].content : undefined;
  return {
    ...shared,
    ...(system !== undefined && { instructions: system }),
    input: messages.filter(({ role }) => role !== 'system').flatMap(toItems),
    ...(tools && { tools: tools.map(({ function: called }) => ({ type: 'function', ...called })) }),
    ...(tool_choice !== undefined && {
      tool_choice:
        typeof tool_choice === 'string' ? tool_choice : { type: 'function', name: tool_choice.function.name },
    }),
    ...(max_tokens && { max_output_tokens: max_tokens }),
    ...(response_format && { text: { format: { type: 'json_schema', ...response_format.json_schema } } }),
  };
}

function toItems(message: MadeMessage): object[] {
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.tool_call_id, output: message.content }];
  }
  if (message.role !== 'assistant') {
    const { role, content } = message;
    return [{ role, content: typeof content === 'string' ? content : content.map(toInputPart) }];
  }
  return [
    ...(message.reasoning_details ?? []).map(({ text, signature, format }) => ({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text }],
      signature,
      format,
    })),
    ...(message.content === null
      ? []
      : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: message.content }] }]),
    ...(message.tool_calls ?? []).map(({ id, function: called }) => ({
      type: 'function_call',
      call_id: id,
      ...called,
    })),
  ];
}

function toInputPart(part: MadePart): object {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  if (part.type === 'image_url') return { type: 'input_image', image_url: part.image_url.url };
  const { filename, file_data } = part.file;
  return { type: 'input_file', filename, ...(file_data.startsWith('data:') ? { file_data } : { file_url: file_data }) };
}

/** The part of a chat that Ollama's form can say: one text and images in base64, no files, no signatures, no `strict`. */
export function inWordsOfOllama({ messages, reasoning, response_format: format, ...rest }: MadeChat): MadeChat {
  const effort = reasoning?.effort;
  return {
    ...rest,
    messages: messages.map((message): MadeMessage => {
      if (message.role === 'user') return { role: 'user', content: toTextAndImages(message.content) };
      if (message.role !== 'assistant') return message;
      const { reasoning_details: _details, content, ...turn } = message;
      return { ...turn, content: content ?? '' };
    }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(format && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: format.json_schema.schema } as typeof format.json_schema,
      },
    }),
  };
}

function toTextAndImages(content: string | readonly MadePart[]): string | MadePart[] {
  if (typeof content === 'string') return content;
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const images = content.filter((part) => part.type === 'image_url' && part.image_url.url.startsWith('data:'));
  if (images.length === 0) return text;
  return text === '' ? images : [{ type: 'text', text }, ...images];
}

/** The chat in Ollama's form, as its documentation describes it. */
export function writeOllama(chat: MadeChat): object {
  const {
    messages,
    reasoning,
    response_format: format,
    temperature,
    top_p,
    max_tokens,
    ...rest
  } = inWordsOfOllama(chat);
  const options = { temperature, top_p, num_predict: max_tokens };
  return {
    ...rest,
    messages: messages.map(toOllamaMessage),
    ...(Object.values(options).some((value) => value !== undefined) && { options }),
    ...(reasoning?.effort && { think: reasoning.effort }),
    ...(format && { format: format.json_schema.schema }),
  };
}

function toOllamaMessage(message: MadeMessage): object {
  if (message.role === 'assistant') {
    const calls = message.tool_calls?.map(({ id, function: { name, arguments: args } }) => ({
      id,
      function: { name, arguments: JSON.parse(args) as unknown },
    }));
    return { role: 'assistant', content: message.content, ...(calls && { tool_calls: calls }) };
  }
  const { content } = message;
  if (typeof content === 'string') return message;
  const images = content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url.replace(/^.*,/, '')] : []));
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { role: message.role, content: text, images };
}
