import { kindOfModel } from '../../calls/call-kind.ts';
import type { CatalogModel } from '../../catalog/catalog.ts';
import { findShownEndpoints } from '../../dispatch/usable-endpoints.ts';
import { operation } from '../../http/operation.ts';
import { type VideoModel, videoModelListSchema } from '../../wire/videos.ts';
import type { VideoParts } from './video-parts.ts';

const SKUS = ['video', 'video_second', 'video_token'] as const;

/** `GET /videos/models`: models that make videos, with what each can do; callers of models see those they may use. */
export const listVideoModels = operation<VideoParts>()({
  response: videoModelListSchema,
  async run(context) {
    const shown = await findShownEndpoints(context);
    const models = context.parts.catalog.list().filter((model) => kindOfModel(model) === 'video');
    return { data: models.filter((model) => shown(model).length > 0).map(toVideoModel) };
  },
});

/** Unknown values are null, because the wire requires every field (wire.md 15.5). */
function toVideoModel({ id, definition, endpoints }: CatalogModel): VideoModel {
  const { video = {} } = definition;
  const pricing = endpoints[0]?.pricing;
  return {
    id,
    canonical_slug: definition.canonical_slug ?? id,
    name: definition.name ?? id,
    created: definition.created ?? 0,
    description: definition.description ?? '',
    hugging_face_id: null,
    supported_resolutions: video.supported_resolutions ?? null,
    supported_aspect_ratios: video.supported_aspect_ratios ?? null,
    supported_sizes: video.supported_sizes ?? null,
    supported_durations: video.supported_durations ?? null,
    supported_frame_images: video.supported_frame_images ?? null,
    generate_audio: video.generate_audio ?? null,
    seed: video.seed ?? null,
    creativity: video.creativity ?? null,
    upscale_factor: video.upscale_factor ?? null,
    pricing_skus: Object.fromEntries(
      SKUS.flatMap((sku) => (pricing?.[sku] === undefined ? [] : [[sku, pricing[sku]]])),
    ),
    allowed_passthrough_parameters: video.allowed_passthrough_parameters ?? [],
  };
}
