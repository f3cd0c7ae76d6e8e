import { audioFormat, reasoningFormat, resultText, toolName } from '../calls/message-places.ts';
import { schema } from '../calls/schema-texts.ts';
import {
  argumentsText,
  bytes,
  checked,
  chosen,
  dictionary,
  encodedText,
  fields,
  id,
  isTextType,
  media,
  name,
  type Place,
  record,
  scalar,
  sealed,
  text,
  words,
} from '../calls/text-places.ts';
import type { NativeForm } from '../wire/native-request.ts';
import { CHAT_PLACES } from './chat-places.ts';
import { geminiBody } from './gemini-places.ts';

const read = (value: unknown, field: string): unknown => (value as Readonly<Record<string, unknown>> | null)?.[field];

/** Fields of the gateway that have the form of chat completions on every route. No upstream gets them in a native form. */
const OWN_FIELDS = {
  model: checked,
  models: checked,
  provider: checked,
  route: checked,
  preset: checked,
  transforms: checked,
  debug: checked,
  stream: checked,
  stop_server_tools_when: checked,
  plugins: CHAT_PLACES.plugins,
  user: text,
  session_id: text,
  trace: record,
  image_config: record,
  temperature: checked,
  top_p: checked,
  top_k: checked,
} as const satisfies Record<string, Place>;

const cacheMark = fields({ type: words('ephemeral'), ttl: words('5m', '1h') });
const location = fields({ type: words('approximate'), city: text, region: text, country: text, timezone: text });

// Anthropic's Messages

const SOURCE_FIELDS = {
  type: words('base64', 'url', 'text', 'content', 'file'),
  media_type: words(/image\/(?:png|jpe?g|gif|webp)/, /application\/(?:pdf|json)/, /text\/(?:plain|html|csv|markdown)/),
  url: media,
  file_id: id,
  content: (value, visit) => block(value, visit),
} as const satisfies Record<string, Place>;

const textSource = fields({ ...SOURCE_FIELDS, data: text });
const bytesSource = fields({ ...SOURCE_FIELDS, data: bytes });
const textBytesSource = fields({ ...SOURCE_FIELDS, data: encodedText });

const source = chosen((value) => {
  if (read(value, 'type') !== 'base64') return textSource;
  const mediaType = read(value, 'media_type');
  return typeof mediaType === 'string' && isTextType(mediaType) ? textBytesSource : bytesSource;
});

const citation = fields({
  type: words(/(?:char|page|content_block|search_result|web_search_result)_location/, /web_search_result/),
  enabled: scalar,
  cited_text: text,
  document_title: text,
  title: text,
  source: text,
  url: text,
  file_id: id,
  encrypted_index: sealed,
});

const BLOCK_TYPES = words(
  /text|image|document|search_result|tool_use|tool_result|thinking|redacted_thinking|tool_reference|compaction/,
  /server_tool_use|mcp_tool_use|mcp_tool_result|container_upload|tool_search_tool_(?:result|search_result)(?:_error)?/,
  /(?:web_search|web_fetch|(?:bash_|text_editor_)?code_execution)_tool_result(?:_error)?|web_search_result|web_fetch_result/,
  /(?:bash_|encrypted_)?code_execution_(?:result|output)|text_editor_code_execution_(?:view|create|str_replace)_result/,
);

const BLOCK_FIELDS = {
  type: BLOCK_TYPES,
  text,
  id,
  tool_use_id: id,
  file_id: id,
  name: toolName,
  tool_name: toolName,
  server_name: text,
  input: record,
  caller: fields({ type: words('direct', /code_execution_\d{8}/), tool_id: id }),
  content: (value, visit) => block(value, visit),
  // The address of a search result is a text.
  source,
  title: text,
  context: text,
  thinking: text,
  signature: sealed,
  data: sealed,
  url: text,
  page_age: text,
  retrieved_at: text,
  encrypted_content: sealed,
  encrypted_stdout: sealed,
  citations: citation,
  is_error: scalar,
  cache_control: cacheMark,
  stdout: text,
  stderr: text,
  return_code: scalar,
  error_code: words(
    /unavailable|invalid_tool_input|max_uses_exceeded|too_many_requests|query_too_long|execution_time_exceeded/,
    /container_expired|file_not_found|output_file_too_large|url_(?:too_long|not_allowed|not_accessible)/,
    /unsupported_content_type/,
  ),
} as const satisfies Record<string, Place>;

const otherBlock = fields(BLOCK_FIELDS);
const resultBlock = fields({
  ...BLOCK_FIELDS,
  content: (value, visit) => (typeof value === 'string' ? resultText(value, visit) : block(value, visit)),
});
const block: Place = chosen((value) => (read(value, 'type') === 'tool_result' ? resultBlock : otherBlock));

const messagesBody = fields({
  ...OWN_FIELDS,
  fallbacks: checked,
  max_tokens: checked,
  system: block,
  messages: fields({ role: checked, content: block }),
  tools: fields({
    type: words(
      'custom',
      /(?:bash|code_execution|computer|memory|text_editor|web_fetch|web_search|mcp_toolset)(?:_\d{8})?/,
      /tool_search_tool_(?:bm25|regex)(?:_\d{8})?/,
      /(?:openrouter|service):(?:datetime|web_search|web_fetch|(?:experimental__)?search_models)/,
    ),
    name: toolName,
    description: text,
    input_schema: schema,
    input_examples: record,
    strict: scalar,
    cache_control: cacheMark,
    max_uses: scalar,
    allowed_domains: text,
    blocked_domains: text,
    user_location: location,
    defer_loading: scalar,
    allowed_callers: words('direct', /code_execution_\d{8}/),
  }),
  tool_choice: fields({ type: checked, name: toolName, disable_parallel_tool_use: checked }),
  thinking: fields({ type: checked, budget_tokens: checked, display: words('summarized', 'omitted') }),
  output_config: fields({ effort: checked, format: fields({ type: checked, schema }) }),
  metadata: fields({ user_id: text }),
  stop_sequences: text,
  cache_control: cacheMark,
  service_tier: words('auto', 'standard_only', 'default', 'flex', 'priority', 'scale', 'fast'),
  speed: words('fast', 'standard'),
  container: chosen((value) => (typeof value === 'string' ? id : container)),
  context_management: fields({ edits: fields({ type: words(/(?:clear_tool_uses|clear_thinking|compact)_\d{8}/) }) }),
  mcp_servers: fields({
    type: words('url'),
    url: text,
    name: text,
    authorization_token: text,
    tool_configuration: fields({ enabled: scalar, allowed_tools: toolName }),
  }),
});

const container = fields({
  id,
  skills: fields({ type: words('anthropic', 'custom'), skill_id: id, version: text }),
});

// OpenAI's Responses

const STATUS = words(
  'in_progress',
  'completed',
  'incomplete',
  'failed',
  'searching',
  'interpreting',
  'generating',
  'calling',
);

/** An item, or a part of its content: their fields do not clash. */
const ITEM_FIELDS = {
  type: words(
    /message|reasoning|compaction(?:_summary)?|item_reference|additional_tools/,
    /(?:function|custom_tool|computer|local_shell|shell|apply_patch|tool_search)_call(?:_output)?/,
    /(?:web_search|file_search|image_generation|code_interpreter|mcp)_call|mcp_list_tools|mcp_approval_(?:request|response)/,
    /input_(?:text|image|file|audio|video)|text|output_text|refusal|summary_text|reasoning_text|computer_screenshot/,
  ),
  role: words('user', 'assistant', 'system', 'developer'),
  status: STATUS,
  phase: words('commentary', 'final_answer'),
  id,
  call_id: id,
  approval_request_id: id,
  container_id: id,
  file_id: id,
  name: toolName,
  namespace: toolName,
  server_label: text,
  arguments: argumentsText,
  input: text,
  text,
  refusal: text,
  content: (value, visit) => item(value, visit),
  summary: (value, visit) => item(value, visit),
  output: (value, visit) => (typeof value === 'string' ? resultText(value, visit) : item(value, visit)),
  encrypted_content: sealed,
  signature: sealed,
  format: reasoningFormat,
  image_url: media,
  detail: words('auto', 'low', 'high', 'original'),
  filename: text,
  file_data: media,
  file_url: media,
  input_audio: fields({ data: media, format: audioFormat }),
  video_url: media,
  annotations: fields({
    type: words('url_citation', 'file_citation', 'container_file_citation', 'file_path'),
    url: text,
    title: text,
    filename: text,
    file_id: id,
    container_id: id,
    index: scalar,
    start_index: scalar,
    end_index: scalar,
    url_citation: record,
  }),
  action: record,
  result: media,
  revised_prompt: text,
  code: text,
  error: text,
  reason: text,
  approve: scalar,
  tools: (value, visit) => responsesTool(value, visit),
} as const satisfies Record<string, Place>;

const item: Place = fields(ITEM_FIELDS);

const responsesTool: Place = fields({
  type: words(
    /function|custom|namespace|mcp|local_shell|shell|apply_patch|code_interpreter|file_search|image_generation|tool_search/,
    /(?:openrouter|service):(?:datetime|web_search|web_fetch|(?:experimental__)?search_models|image_generation|apply_patch)/,
    /web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d)?|computer(?:_use)?(?:_preview)?/,
  ),
  name: toolName,
  description: text,
  parameters: schema,
  input_schema: schema,
  strict: scalar,
  format: fields({ type: words('grammar', 'text'), syntax: words('lark', 'regex'), definition: text }),
  tools: (value, visit) => responsesTool(value, visit),
  user_location: location,
  search_context_size: words('low', 'medium', 'high'),
  server_label: text,
  server_url: text,
  server_description: text,
  connector_id: id,
  vector_store_ids: id,
  container: chosen((value) => (typeof value === 'string' ? id : responsesContainer)),
  allowed_tools: chosen((value) => (typeof value === 'string' ? toolName : record)),
  require_approval: chosen((value) => (typeof value === 'string' ? approval : record)),
});

const approval = words('always', 'never');
const responsesContainer = fields({ type: words('auto'), file_ids: id, memory_limit: words(/\d+g/) });

const responsesBody = fields({
  ...OWN_FIELDS,
  input: item,
  instructions: text,
  tools: responsesTool,
  tool_choice: chosen((value) => (typeof value === 'string' ? checked : responsesTool)),
  parallel_tool_calls: checked,
  max_output_tokens: checked,
  text: fields({
    format: fields({ type: checked, name, description: text, schema, strict: checked }),
    verbosity: checked,
  }),
  reasoning: fields({
    effort: checked,
    summary: checked,
    max_tokens: checked,
    enabled: checked,
    exclude: checked,
    generate_summary: words('auto', 'concise', 'detailed'),
  }),
  include: words(
    /reasoning\.encrypted_content|message\.(?:output_text\.logprobs|input_image\.image_url)/,
    /file_search_call\.results|web_search_call\.(?:results|action\.sources)|code_interpreter_call\.outputs/,
    /computer_call_output\.output\.image_url/,
  ),
  prompt: fields({ id, version: words(/\d{1,6}/), variables: dictionary('the name of a variable', item) }),
  prompt_cache_key: text,
  prompt_cache_options: CHAT_PLACES.prompt_cache_options,
  prompt_cache_retention: words('24h', /in[_-]memory/),
  safety_identifier: text,
  metadata: record,
  service_tier: checked,
  truncation: words('auto', 'disabled'),
  store: checked,
  background: checked,
  previous_response_id: checked,
  conversation: checked,
  modalities: checked,
  cache_control: cacheMark,
  frequency_penalty: checked,
  presence_penalty: checked,
  top_logprobs: checked,
  max_tool_calls: checked,
  stream_options: fields({ include_obfuscation: scalar }),
});

/** What stands in the body of a native form. */
export const NATIVE_PLACES: Readonly<Record<NativeForm, Place>> = {
  messages: messagesBody,
  responses: responsesBody,
  gemini: geminiBody,
};
