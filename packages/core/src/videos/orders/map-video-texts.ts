import { mapRecord, mapStrings, type RequestText, toVisitor } from '../../calls/text-map.ts';
import type { VideoRequest } from '../../wire/videos/video-request.ts';

/** Maps the texts of a request for a video. Its prompt counts as a text by the user. */
export function mapVideoTexts(request: VideoRequest, change: (text: RequestText) => string): VideoRequest {
  const visit = toVisitor(change);
  const say = (text: string): string => change({ text, role: 'user', isContinued: false, isJson: false });
  const mapped: VideoRequest = {
    ...request,
    ...(request.prompt !== undefined && { prompt: say(request.prompt) }),
    ...(request.provider?.options != null && {
      provider: { ...request.provider, options: mapOptions(request.provider.options, say) },
    }),
  };
  for (const field of ['frame_images', 'input_references', 'user', 'session_id'] as const) {
    if (request[field] != null) Object.assign(mapped, { [field]: mapStrings(request[field], visit, field) });
  }
  if (request.trace != null) mapped.trace = mapRecord(request.trace, visit) as typeof request.trace;
  return mapped;
}

type Options = NonNullable<NonNullable<VideoRequest['provider']>['options']>;

/** A provider's own parameters, which may be prompts, too: by the name of the provider. */
function mapOptions(options: Options, visit: (text: string) => string): Options {
  return Object.fromEntries(Object.entries(options).map(([slug, own]) => [slug, mapStrings(own, visit) as typeof own]));
}
