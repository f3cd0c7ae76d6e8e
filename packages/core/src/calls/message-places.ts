import {
  argumentsText,
  checked,
  fields,
  fixed,
  id,
  media,
  part,
  type Place,
  record,
  scalar,
  sealed,
  text,
  words,
} from './text-places.ts';

/** Results come back under this name, to a client that knows no other. */
export const toolName = fixed('the name of a tool');

export const audioFormat = words(
  /wav|mp3|flac|opus|aac|ogg|oga|m4a|mp4|mpga|mpeg|webm|aiff?|pcm(?:16|24)?/,
  /g711_[au]law/,
);

/** The content of a message. */
export const content: Place = (value, visit) => {
  if (!Array.isArray(value)) return part(value, visit);
  // Texts first: a picture between two of them does not part what they say.
  const isText = (item: unknown): boolean => (item as { type?: unknown } | null)?.type === 'text';
  const mapWhere = (list: readonly unknown[], isMapped: (item: unknown) => boolean): readonly unknown[] => {
    let mapped: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const changed = isMapped(item) ? contentPart(item, visit) : item;
      if (changed !== item) (mapped ??= [...list])[index] = changed;
    }
    return mapped ?? list;
  };
  return mapWhere(mapWhere(value, isText), (item) => !isText(item));
};

const contentPartFields = {
  type: words('text', 'image_url', 'input_audio', 'file', 'video_url', 'input_video'),
  text: part,
  image_url: fields({ url: media, detail: words('auto', 'low', 'high', 'original') }),
  input_audio: fields({ data: media, format: audioFormat }),
  file: fields({ filename: text, file_data: media, file_id: id }),
  video_url: fields({ url: media }),
  cache_control: fields({ type: words('ephemeral'), ttl: words('5m', '1h') }),
  prompt_cache_breakpoint: fields({ mode: words('explicit', 'implicit') }),
} as const satisfies Record<string, Place>;
const contentPart = fields(contentPartFields);

/** What a tool has returned: JSON or prose. */
export const resultText: Place = (value, visit) =>
  typeof value === 'string' ? visit(value, /^\s*[[{]/.test(value) ? 'result' : 'part') : record(value, visit);

const resultPart = fields({ ...contentPartFields, text: resultText });
/** The content of a tool's message. JSON in several parts is no JSON. */
export const result: Place = (value, visit) => {
  if (!Array.isArray(value)) return resultText(value, visit);
  return value.length === 1 ? resultPart(value, visit) : content(value, visit);
};

export const reasoningFormat = words(
  'unknown',
  /(?:azure-)?openai-responses-v\d/,
  /anthropic-claude-v\d|google-gemini-v\d|xai-responses-v\d/,
);

/** Reasoning as completions have it and callers send it back; also what server tools have returned. */
export const reasoningDetail = fields({
  type: words(/reasoning\.(?:text|summary|encrypted|server_tool_call)/),
  text: part,
  summary: part,
  data: sealed,
  signature: sealed,
  id,
  format: reasoningFormat,
  index: scalar,
  tool_name: toolName,
  tool_call_id: id,
  arguments: argumentsText,
  result: resultText,
});

/** A source of a completion, or a file that was read for it. */
export const annotation = fields({
  type: words('url_citation', 'file', 'file_citation', 'container_file_citation', 'file_path'),
  url_citation: fields({ url: media, title: text, content: text, start_index: scalar, end_index: scalar }),
  file: fields({ hash: id, name: text, content }),
});

export const image = fields({ type: words('image_url'), index: scalar, image_url: fields({ url: media }) });

/** An addition to a completion, but for the texts that come in pieces. */
export const completionDelta = fields({
  role: checked,
  images: image,
  annotations: annotation,
  reasoning_details: reasoningDetail,
});

/** A source as providers name it: an address, or an address with a title. */
export const citation = fields({ url: text, title: text });

/** A chunk of a completion. */
export const completionChunk = fields({
  choices: fields({ index: scalar, delta: completionDelta, finish_reason: checked, native_finish_reason: checked }),
});
