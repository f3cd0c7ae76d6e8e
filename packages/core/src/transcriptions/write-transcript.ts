import type { TranscriptionResult } from '../providers/audio-contract.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import type { RoutingMembers } from '../wire/routing.ts';
import type { TranscriptionFields, TranscriptionResponse, TranscriptionUsage } from '../wire/transcription.ts';

/** The usage of a call as its caller sees it: tokens where they were counted. */
export function toTranscriptionUsage(usage: Usage | undefined, seconds: number | undefined): TranscriptionUsage {
  const { prompt_tokens: input = 0, completion_tokens: output = 0, cost, is_byok } = usage ?? {};
  return {
    ...(seconds !== undefined && { seconds }),
    ...(input + output > 0 && { input_tokens: input, output_tokens: output, total_tokens: input + output }),
    ...(cost !== undefined && { cost }),
    ...(is_byok !== undefined && { is_byok }),
  };
}

/** A transcript as JSON. */
export function toTranscriptionResponse(
  { text, language, segments, words, seconds }: TranscriptionResult,
  { response_format: format, timestamp_granularities: granularities }: TranscriptionFields,
  usage: TranscriptionUsage,
  routing: RoutingMembers | undefined,
): TranscriptionResponse {
  const isVerbose = format === 'verbose_json';
  const wantsSegments = granularities == null || granularities.length === 0 || granularities.includes('segment');
  return {
    text,
    ...(isVerbose && {
      task: 'transcribe',
      ...(language !== undefined && { language }),
      ...(seconds !== undefined && { duration: seconds }),
      ...(segments !== undefined && wantsSegments && { segments: [...segments] }),
      ...(words !== undefined && { words: [...words] }),
    }),
    usage,
    ...routing,
  };
}

interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A transcript as subtitles. Without segments all of it is one. */
export function toSubtitles({ text, segments, seconds = 0 }: TranscriptionResult, format: 'srt' | 'vtt'): string {
  const cues: readonly Cue[] = segments ?? [{ start: 0, end: seconds, text }];
  const mark = format === 'srt' ? ',' : '.';
  const written = cues.map(({ start, end, text: said }, index) => {
    const number = format === 'srt' ? `${index + 1}\n` : '';
    // An empty line would end a subtitle.
    const lines = said.trim().replaceAll(/\n\s*\n/g, '\n');
    return `${number}${toClock(start, mark)} --> ${toClock(end, mark)}\n${lines}\n`;
  });
  return (format === 'srt' ? '' : 'WEBVTT\n\n') + written.join('\n');
}

function toClock(seconds: number, mark: ',' | '.'): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, digits = 2): string => String(Math.floor(value)).padStart(digits, '0');
  const [hours, minutes, rest] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60];
  return `${pad(hours)}:${pad(minutes)}:${pad(rest)}${mark}${pad(ms % 1000, 3)}`;
}
