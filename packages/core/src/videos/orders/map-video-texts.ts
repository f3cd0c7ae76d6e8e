import { checked, fields, media, type Place, record, recordWithMedia, text } from '../../calls/text-places.ts';
import { type RequestText, toVisitor } from '../../calls/texts.ts';
import type { VideoRequest } from '../../wire/videos.ts';

const link = fields({ url: media });

const PLACES = {
  frame_images: fields({ type: checked, image_url: link, frame_type: checked }),
  input_references: fields({ type: checked, image_url: link, audio_url: link, video_url: link }),
  user: text,
  session_id: text,
  trace: record,
} as const satisfies Partial<Record<keyof VideoRequest, Place>>;

/** Maps the texts of a request for a video. Its prompt counts as a text by the user. */
export function mapVideoTexts(request: VideoRequest, change: (text: RequestText) => string): VideoRequest {
  const say = toVisitor(change, 'user');
  const mapped: VideoRequest = {
    ...request,
    ...(request.prompt !== undefined && { prompt: say(request.prompt, 'text') }),
    ...(request.provider?.options != null && {
      provider: { ...request.provider, options: mapOptions(request.provider.options, say) },
    }),
  };
  for (const field of Object.keys(PLACES) as (keyof typeof PLACES)[]) {
    if (request[field] != null) Object.assign(mapped, { [field]: PLACES[field](request[field], toVisitor(change)) });
  }
  return mapped;
}

type Options = NonNullable<NonNullable<VideoRequest['provider']>['options']>;

/** A provider's own parameters, which may be prompts, too: by the name of the provider. */
function mapOptions(options: Options, visit: ReturnType<typeof toVisitor>): Options {
  return Object.fromEntries(
    Object.entries(options).map(([slug, own]) => [slug, recordWithMedia(own, visit) as typeof own]),
  );
}
