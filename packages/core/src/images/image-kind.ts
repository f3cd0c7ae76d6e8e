import { type CallKind, minTokensOf, mostTokensOf } from '../calls/call-kind.ts';
import { checked, fields, media, type Place, record, recordWithMedia, text } from '../calls/text-places.ts';
import { type RequestText, toVisitor } from '../calls/texts.ts';
import type { ImageOrder } from '../providers/image-contract.ts';
import { refuseField } from '../wire/fields.ts';
import type { ImageCapabilities } from '../wire/image-capabilities.ts';
import { isResolution, toImageFrame, toPixels } from '../wire/image-frame.ts';
import type { ImageRequest } from '../wire/images.ts';

/** More than any model has been seen to count: gpt-image counts 6,240 for its largest. */
const MOST_TOKENS_AN_IMAGE = 16_384;
/** The same of a picture that is sent with the prompt. */
const MOST_TOKENS_A_REFERENCE = 16_384;
/** Megapixels of an image whose size is left to the provider. */
const MOST_MEGAPIXELS = 17;
const PIXELS = 1_048_576;

/** The kind of calls that make images. */
export const imageKind: CallKind<ImageRequest> = {
  name: 'image',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf({ provider }) {
    const { options: _, ...preferences } = provider ?? {};
    return { provider: preferences, partition: 'model' };
  },
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  isStreamed: ({ stream }) => stream === true,
  needsOf: (request) => ({
    parameters: PARAMETERS.filter((name) => request[name] != null),
    inputModalities: picturesOf(request).length > 0 ? ['image'] : [],
    outputModalities: ['image'],
    minPromptTokens: minTokensOf(request.prompt.length),
    outputTokens: 0,
    compression: 'never',
  }),
  boundOf(request) {
    const pictures = picturesOf(request).length;
    const images = request.n ?? 1;
    const pixels = toPixels(toImageFrame(request));
    const megapixels = pixels === undefined ? MOST_MEGAPIXELS : Math.ceil((pixels.width * pixels.height) / PIXELS);
    return {
      textTokens: mostTokensOf(request.prompt),
      mediaTokens: pictures * MOST_TOKENS_A_REFERENCE,
      images: pictures,
      hasAudio: false,
      maxTokens: images * MOST_TOKENS_AN_IMAGE,
      predictedTokens: 0,
      made: { images, megapixels: images * megapixels, isAll: true },
    };
  },
  mapTexts,
};

const PARAMETERS = [
  'n',
  'size',
  'resolution',
  'aspect_ratio',
  'quality',
  'background',
  'output_format',
  'output_compression',
  'seed',
  'input_references',
] as const;

/** The addresses of the pictures that go in with a prompt, the mask last. */
export const picturesOf = ({ input_references: references, mask }: ImageRequest): readonly string[] => [
  ...(references ?? []).map(({ image_url: { url } }) => url),
  ...(mask == null ? [] : [mask.image_url.url]),
];

const picture = fields({ type: checked, image_url: fields({ url: media }) });

const PLACES = {
  input_references: picture,
  mask: picture,
  user: text,
  session_id: text,
  trace: record,
} as const satisfies Partial<Record<keyof ImageRequest, Place>>;

/** Maps the texts of a request. Its prompt, and prompts among the parameters of providers, are what a user says. */
function mapTexts(request: ImageRequest, change: (text: RequestText) => string): ImageRequest {
  const say = toVisitor(change, 'user');
  let changed = request;
  const prompt = say(request.prompt, 'text');
  if (prompt !== request.prompt) changed = { ...changed, prompt };
  const { provider } = request;
  if (provider?.options != null) {
    const options = fields({}, recordWithMedia)(provider.options, say) as typeof provider.options;
    if (options !== provider.options) changed = { ...changed, provider: { ...provider, options } };
  }
  const visit = toVisitor(change);
  for (const field of Object.keys(PLACES) as (keyof typeof PLACES)[]) {
    if (request[field] == null) continue;
    const mapped = PLACES[field](request[field], visit);
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

/** Throws `invalid_request` for fields that contradict each other. */
export function refuseContradictions(request: ImageRequest): void {
  toImageFrame(request);
  const { background, output_format: format, mask, input_references: references } = request;
  if (background === 'transparent' && format === 'jpeg') {
    throw refuseField('output_format', 'must be png or webp for a transparent background');
  }
  if (mask != null && !references?.length) throw refuseField('mask', 'needs a picture in input_references');
}

/**
 * Throws `invalid_request` for a value that the entry of a model does not offer, with those that it does. Parameters that
 * the entry does not list are not checked.
 */
export function refuseUnoffered(
  request: ImageRequest,
  modelId: string,
  { supported_parameters: offered = {} }: ImageCapabilities = {},
): void {
  for (const field of PARAMETERS) {
    const asked = request[field];
    if (asked == null || asked === 'auto') continue;
    // A resolution may be asked for as a size.
    const isNamedSize = typeof asked === 'string' && field === 'size' && isResolution(asked);
    const parameter = offered[field] ?? (isNamedSize ? offered['resolution'] : undefined);
    if (parameter === undefined) continue;
    const value = Array.isArray(asked) ? asked.length : asked;
    if (parameter.type === 'enum' && !parameter.values.includes(String(value))) {
      throw refuseField(field, `must be ${parameter.values.join(', ')} for ${modelId}`);
    }
    if (parameter.type === 'range' && typeof value === 'number') {
      const { min, max } = parameter;
      if (value < min || value > max) throw refuseField(field, `must be ${min} to ${max} for ${modelId}`);
    }
  }
}

/** Previews of a streamed image where the request does not say how many. */
const PREVIEWS = 2;

/** The order of a request at one provider. Only those of its own parameters are sent that the model's entry lists. */
export function toImageOrder(
  request: ImageRequest,
  providerSlug: string,
  { allowed_passthrough_parameters: allowed = [] }: ImageCapabilities = {},
): ImageOrder {
  const { prompt, quality, background, output_format, output_compression, seed } = request;
  const own = Object.entries(request.provider?.options?.[providerSlug] ?? {});
  return {
    prompt,
    quality,
    background,
    output_format,
    output_compression,
    seed,
    count: request.n ?? 1,
    frame: toImageFrame(request),
    references: (request.input_references ?? []).map(({ image_url: { url } }) => url),
    mask: request.mask?.image_url.url,
    previews: request.stream === true ? (request.partial_images ?? PREVIEWS) : 0,
    options: Object.fromEntries(own.filter(([name]) => allowed.includes(name))),
  };
}
