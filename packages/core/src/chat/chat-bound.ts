import { type CallBound, mostTokensOf } from '../calls/call-kind.ts';
import type { ChatCompletionRequest, ChatMessage } from '../wire/chat-request.ts';

/** The largest known token count of an image: eight tiles of gpt-4o-mini take 48,169 tokens. */
const MOST_TOKENS_AN_IMAGE = 50_000;
/** Speech of 6 kb/s, the least that codecs offer, has 750 bytes for at most 32 tokens a second. */
const LEAST_AUDIO_BYTES_A_TOKEN = 16;
/** Tokens that providers add to the prompt when there are tools. */
const TOKENS_FOR_TOOLS = 1000;

/**
 * Bounds a request from above. A token is at least one byte, so the request's own JSON, media left out, has more bytes
 * than its text has tokens; the punctuation around each message covers what a chat format adds to it.
 */
export function chatBoundOf(request: ChatCompletionRequest): CallBound {
  const media = { images: 0, audioTokens: 0, hasAudio: false, isUnbounded: false, characters: 0 };
  for (const message of request.messages) measureMedia(message, media);
  const { characters } = media;
  const bytes = mostTokensOf(request);
  return {
    textTokens: bytes - characters + (request.tools?.length ? TOKENS_FOR_TOOLS : 0),
    mediaTokens: media.isUnbounded ? null : media.images * MOST_TOKENS_AN_IMAGE + media.audioTokens,
    images: media.images,
    hasAudio: media.hasAudio,
    asksForAudio: request.modalities?.includes('audio') === true || request.audio != null,
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    predictedTokens: request.prediction ? mostTokensOf(request.prediction) : 0,
  };
}

interface Media {
  images: number;
  audioTokens: number;
  hasAudio: boolean;
  isUnbounded: boolean;
  /** Length of the JSON text that is media; at most as many as its bytes. */
  characters: number;
}

function measureMedia(message: ChatMessage, media: Media): void {
  if (message.role === 'assistant') {
    media.images += message.images?.length ?? 0;
    for (const image of message.images ?? []) media.characters += JSON.stringify(image).length;
    // The message refers by id to an earlier audio completion, whose length is unknown here.
    if (message.audio) media.isUnbounded = true;
  }
  if (!Array.isArray(message.content)) return;
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
        break;
      case 'image_url':
        media.images += 1;
        media.characters += part.image_url.url.length;
        break;
      case 'input_audio':
        media.hasAudio = true;
        media.characters += part.input_audio.data.length;
        media.audioTokens += Math.ceil((part.input_audio.data.length * 3) / 4 / LEAST_AUDIO_BYTES_A_TOKEN);
        break;
      case 'file':
        // The pages of a document and the length of a video are known only after decoding.
        media.isUnbounded = true;
        media.characters += part.file.file_data?.length ?? 0;
        break;
      case 'video_url':
      case 'input_video':
        media.isUnbounded = true;
        media.hasAudio = true;
        media.characters += part.video_url.url.length;
    }
  }
}
