import { GEMINI } from './full-gemini-requests.ts';
import { base64, BYTES, RECORD, SCHEMA, SMALL } from './full-request-parts.ts';

/**
 * Requests that together have every field of a format that may hold text. There are several for each, because no
 * provider takes all of them in one: one that a provider refuses as it stands is left out there.
 */
export interface FullRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const PICTURE = `data:image/png;base64,${BYTES}`;
const NOTES = `data:text/plain;base64,${base64('Some notes about the weather.')}`;

const FUNCTION = {
  type: 'function',
  function: { name: 'find_order', description: 'Finds an order', parameters: SCHEMA, strict: false },
};
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'find_order', arguments: JSON.stringify(RECORD) },
};

const CHAT: readonly Readonly<Record<string, unknown>>[] = [
  {
    messages: [
      { role: 'system', content: 'Be brief.', name: 'host' },
      { role: 'developer', content: [{ type: 'text', text: 'Speak plainly.' }] },
      {
        role: 'user',
        name: 'Ann',
        content: [
          { type: 'text', text: 'Where is', cache_control: { type: 'ephemeral', ttl: '5m' } },
          { type: 'image_url', image_url: { url: PICTURE, detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
          { type: 'text', text: 'my order?', prompt_cache_breakpoint: { mode: 'explicit' } },
        ],
      },
      { role: 'assistant', content: 'Let me see.', name: 'helper', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'call_1', name: 'find_order', content: JSON.stringify(RECORD) },
      { role: 'assistant', content: null, refusal: 'I cannot say.' },
      { role: 'user', content: 'Try again.' },
    ],
    tools: [FUNCTION],
    tool_choice: { type: 'function', function: { name: 'find_order' } },
    stop: ['END'],
    user: 'ann',
    session_id: 'session-1',
    metadata: { team: 'shop' },
    trace: { trace_name: 'orders', deep: { type: 'note' } },
  },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Sum it up.' },
          { type: 'file', file: { filename: 'notes.txt', file_data: NOTES } },
          { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${BYTES}` } },
          { type: 'file', file: { filename: 'b.txt', file_data: 'data:text/plain,more%20notes' } },
        ],
      },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'order', description: 'An order', schema: SCHEMA, strict: true },
    },
  },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Listen.' },
          { type: 'input_audio', input_audio: { data: BYTES, format: 'wav' } },
          { type: 'video_url', video_url: { url: 'https://films.example/a.mp4' } },
          { type: 'input_video', video_url: { url: `data:video/mp4;base64,${BYTES}` } },
          { type: 'file', file: { filename: 'c.pdf', file_id: 'file-1' } },
        ],
      },
      {
        role: 'assistant',
        content: 'Yes.',
        reasoning: 'It is a song.',
        audio: { id: 'audio_1', transcript: 'La la.', note: 'x' },
        images: [{ type: 'image_url', image_url: { url: PICTURE } }],
        annotations: [
          { type: 'url_citation', url_citation: { url: 'https://a.example/', title: 'Songs', content: 'x' } },
        ],
      },
      { role: 'user', content: 'Go on.' },
    ],
    audio: { voice: { id: 'voice_1', style: 'calm' }, format: 'wav', note: 'x' },
    modalities: ['text', 'audio'],
    prediction: { type: 'content', content: [{ type: 'text', text: 'The song is' }], note: 'x' },
    response_format: { type: 'grammar', grammar: 'root ::= "yes"' },
    prompt_cache_key: 'songs',
    prompt_cache_options: { mode: 'explicit', ttl: '24h' },
    logit_bias: { '1734': 5 },
  },
  {
    messages: [
      { role: 'user', content: 'Draw.' },
      {
        role: 'assistant',
        content: null,
        reasoning: 'A cat.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'A cat,', format: 'unknown', index: 0, note: 'x' },
          { type: 'reasoning.summary', summary: 'cats', id: 'rs_1', format: 'openai-responses-v1', index: 1 },
          { type: 'reasoning.encrypted', data: BYTES, id: 'rs_1', format: 'openai-responses-v1', index: 2 },
          { type: 'reasoning.text', text: 'or not', signature: 'c2lnbmVk', format: 'anthropic-claude-v1', index: 3 },
          { type: 'reasoning.text', text: 'nor so', signature: 'c2lnbmVk', format: 'google-gemini-v1', index: 4 },
        ],
        tool_calls: [CALL],
      },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'No order.' }] },
    ],
    image_config: { aspect_ratio: '1:1', style: { type: 'oil', url: 'none' }, words: ['a', 'b'] },
    reasoning: { effort: 'low' },
    tools: [FUNCTION],
  },
  {
    messages: [{ role: 'user', content: 'Draw.' }],
    tools: [FUNCTION, { type: 'web_search_preview', search_context_size: 'low', parameters: { id: 'x' } }],
    plugins: [{ id: 'moderation', engine: 'native', prompt: 'Look at it', options: { id: 'x' } }],
    provider: { order: ['up'] },
    stop: { id: 'odd' },
  },
];

const MESSAGES: readonly Readonly<Record<string, unknown>>[] = [
  {
    max_tokens: 100,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: 'Where is',
            citations: [{ type: 'char_location', cited_text: 'x', document_title: 'y' }],
          },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BYTES } },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'A text' },
            title: 'Letter',
            context: 'Old',
          },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Inside' }] }, title: 'Box' },
          {
            type: 'document',
            source: { type: 'url', url: 'https://papers.example/a.pdf' },
            citations: { enabled: true },
          },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: BYTES }, title: 'Scan' },
          {
            type: 'search_result',
            source: 'https://found.example/',
            title: 'Found',
            content: [{ type: 'text', text: 'It' }],
          },
          { type: 'container_upload', file_id: 'file_1', note: 'x' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
          { type: 'redacted_thinking', data: BYTES },
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'toolu_1', name: 'find_order', input: RECORD, caller: { type: 'direct' } },
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'orders', id: 'x' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: [
              {
                type: 'web_search_result',
                url: 'https://b.example/',
                title: 'B',
                encrypted_content: BYTES,
                page_age: 'new',
              },
            ],
          },
          {
            type: 'web_fetch_tool_result',
            tool_use_id: 'srvtoolu_2',
            content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_allowed' },
          },
          { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'look', server_name: 'files', input: { type: 'x' } },
          {
            type: 'mcp_tool_result',
            tool_use_id: 'mcptoolu_1',
            is_error: false,
            content: [{ type: 'text', text: 'seen' }],
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: JSON.stringify(RECORD) },
              { type: 'tool_reference', tool_name: 'look' },
            ],
          },
        ],
      },
    ],
    tools: [
      { name: 'find_order', description: 'Finds an order', input_schema: SCHEMA, input_examples: [RECORD] },
      {
        type: 'web_search_20250305',
        name: 'web_search',
        allowed_domains: ['a.example'],
        user_location: { type: 'approximate', city: 'Oslo', region: 'Oslo', country: 'NO', timezone: 'Europe/Oslo' },
      },
      { type: 'bash_20250124', name: 'bash' },
    ],
    tool_choice: { type: 'tool', name: 'find_order' },
    stop_sequences: ['END'],
    metadata: { user_id: 'ann' },
    user: 'bob',
    output_config: { format: { type: 'json_schema', schema: SMALL } },
    mcp_servers: [
      {
        type: 'url',
        url: 'https://mcp.example/',
        name: 'files',
        authorization_token: 'let-me-in',
        tool_configuration: { allowed_tools: ['look'] },
      },
    ],
    container: { id: 'container_1', skills: [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }] },
    context_management: { edits: [{ type: 'clear_tool_uses_20250919', exclude_tools: ['look'] }] },
    newer_field: { id: 'x', type: 'y' },
  },
  {
    max_tokens: 100,
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Where is my order?' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'toolu_1', name: 'find_order', input: RECORD },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: JSON.stringify(RECORD) },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'text/plain', data: base64('Some notes.') },
            title: 'Notes',
          },
        ],
      },
    ],
    tools: [{ name: 'find_order', description: 'Finds an order', input_schema: SCHEMA }],
    stop_sequences: ['END'],
  },
];

const RESPONSES: readonly Readonly<Record<string, unknown>>[] = [
  {
    instructions: 'Be brief.',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Where is' },
          { type: 'input_image', image_url: PICTURE, detail: 'low' },
          { type: 'input_file', filename: 'notes.txt', file_data: NOTES },
          { type: 'input_file', file_url: 'https://papers.example/a.pdf' },
          { type: 'input_audio', input_audio: { data: BYTES, format: 'wav' } },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Thought.' }],
        content: [{ type: 'reasoning_text', text: 'A long thought.' }],
        encrypted_content: BYTES,
        status: 'completed',
      },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        phase: 'commentary',
        content: [
          {
            type: 'output_text',
            text: 'Let me see.',
            annotations: [{ type: 'url_citation', url: 'https://c.example/', title: 'C' }],
          },
          { type: 'refusal', refusal: 'I cannot say.' },
        ],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'find_order',
        arguments: JSON.stringify(RECORD),
        status: 'completed',
      },
      { type: 'function_call_output', call_id: 'call_1', output: JSON.stringify(RECORD) },
      {
        type: 'custom_tool_call',
        id: 'ctc_1',
        call_id: 'call_2',
        name: 'write',
        input: 'a story',
        status: 'completed',
      },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'written' }] },
      {
        type: 'web_search_call',
        id: 'ws_1',
        status: 'completed',
        action: { type: 'search', query: 'orders', url: 'x' },
      },
      {
        type: 'local_shell_call',
        id: 'lsh_1',
        call_id: 'call_3',
        action: { type: 'exec', command: ['ls'], env: { id: 'x' } },
      },
      { type: 'local_shell_call_output', id: 'lsh_2', call_id: 'call_3', output: 'a.txt' },
      {
        type: 'mcp_list_tools',
        id: 'mcpl_1',
        server_label: 'files',
        tools: [{ name: 'look', description: 'Looks', input_schema: SMALL }],
      },
      {
        type: 'mcp_call',
        id: 'mcp_1',
        server_label: 'files',
        name: 'look',
        arguments: JSON.stringify(RECORD),
        output: 'seen',
        error: 'none',
      },
      {
        type: 'mcp_approval_response',
        id: 'mcpr_1',
        approval_request_id: 'mcpr_0',
        approve: false,
        reason: 'too wide',
      },
      {
        type: 'computer_call_output',
        call_id: 'call_4',
        output: { type: 'computer_screenshot', image_url: PICTURE, note: 'x' },
      },
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: BYTES, revised_prompt: 'a cat' },
      {
        type: 'code_interpreter_call',
        id: 'ci_1',
        code: 'print(1)',
        container_id: 'cntr_1',
        outputs: [{ type: 'logs', logs: '1' }],
      },
      { role: 'user', content: 'Try again.' },
    ],
    tools: [
      { type: 'function', name: 'find_order', description: 'Finds an order', parameters: SCHEMA, strict: false },
      {
        type: 'custom',
        name: 'write',
        description: 'Writes',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: WORD' },
      },
      {
        type: 'mcp',
        server_label: 'files',
        server_url: 'https://mcp.example/',
        server_description: 'Files',
        headers: { id: 'x' },
        allowed_tools: ['look'],
      },
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        user_location: { type: 'approximate', city: 'Oslo' },
      },
      {
        type: 'namespace',
        name: 'shop',
        description: 'All of the shop',
        tools: [{ type: 'function', name: 'buy', description: 'Buys', parameters: SMALL }],
      },
      { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } },
    ],
    tool_choice: { type: 'function', name: 'find_order' },
    text: { format: { type: 'json_schema', name: 'order', description: 'An order', schema: SMALL, strict: false } },
    prompt: {
      id: 'pmpt_1',
      version: '2',
      variables: { city: 'Oslo', letter: { type: 'input_text', text: 'Dear Ann' } },
    },
    include: ['reasoning.encrypted_content'],
    metadata: { team: 'shop' },
    safety_identifier: 'ann',
    prompt_cache_key: 'orders',
    prompt_cache_retention: '24h',
    truncation: 'auto',
    newer_field: { id: 'x', type: 'y' },
  },
  {
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: 'Where is my order?' },
      { type: 'function_call', call_id: 'call_1', name: 'find_order', arguments: JSON.stringify(RECORD) },
      { type: 'function_call_output', call_id: 'call_1', output: JSON.stringify(RECORD) },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Speak plainly.' }] },
    ],
    tools: [
      { type: 'function', name: 'find_order', description: 'Finds an order', parameters: SCHEMA },
      {
        type: 'custom',
        name: 'write',
        description: 'Writes',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: WORD' },
      },
    ],
    text: { format: { type: 'json_schema', name: 'order', description: 'An order', schema: SMALL } },
  },
];

const COMPLETIONS: readonly Readonly<Record<string, unknown>>[] = [
  { prompt: 'Once upon a time', stop: ['END'], user: 'ann', session_id: 's', metadata: { team: 'x' } },
  {
    prompt: ['Once'],
    response_format: { type: 'json_schema', json_schema: { name: 'order', description: 'An order', schema: SCHEMA } },
    tools: [FUNCTION],
  },
];

const at = (path: string, bodies: readonly FullRequest['body'][]): FullRequest[] =>
  bodies.map((body) => ({ path: `/api/v1/${path}`, body: { model: 'test/model', ...body } }));

/** By format. */
export const FULL_REQUESTS: Readonly<Record<string, readonly FullRequest[]>> = {
  'chat completions': at('chat/completions', CHAT),
  messages: at('messages', MESSAGES),
  responses: at('responses', RESPONSES),
  completions: at('completions', COMPLETIONS),
  gemini: GEMINI.map((body) => ({ path: '/v1beta/models/test/model:generateContent', body })),
};
