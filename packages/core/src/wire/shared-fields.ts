/*
 * The fields that other formats share with chat completions, in name and form, beside those that they check themselves.
 */

/** Of `POST /messages`. */
export const MESSAGES_SHARED_FIELDS = [
  ...(['models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user'] as const),
  ...(['session_id', 'stream', 'temperature', 'top_p', 'top_k', 'stop_server_tools_when'] as const),
] as const;

/** Of `POST /responses`. */
export const RESPONSES_SHARED_FIELDS = [
  ...(['models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user'] as const),
  ...(['session_id', 'temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty'] as const),
  ...(['top_logprobs', 'metadata', 'service_tier', 'prompt_cache_key', 'prompt_cache_options'] as const),
  ...(['cache_control', 'stop_server_tools_when', 'max_tool_calls', 'modalities', 'image_config'] as const),
] as const;
