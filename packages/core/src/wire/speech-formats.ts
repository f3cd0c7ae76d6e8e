/** Each format of speech, with the media type of its bytes. `pcm` is 16-bit little-endian, mono, mostly of 24 kHz. */
export const SPEECH_TYPES = {
  pcm: 'audio/pcm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
} as const;
export type SpeechFormat = keyof typeof SPEECH_TYPES;
export const SPEECH_FORMATS = Object.keys(SPEECH_TYPES) as SpeechFormat[];

/** What a provider is asked for where the request names no format, as by the public API; OpenAI's own has `mp3`. */
export const DEFAULT_SPEECH_FORMAT: SpeechFormat = 'pcm';
