import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { receiveCall } from '../calls/model-call.ts';
import { amendRequest } from '../calls/request-hook.ts';
import type { CatalogModel, Endpoint } from '../catalog/catalog.ts';
import { type EndpointParts, findShownEndpoints } from '../dispatch/usable-endpoints.ts';
import type { FileLibrary } from '../files/file-library.ts';
import { findNamedFile, MAX_REQUEST_FILES_BYTES, toBase64 } from '../files/resolve-files.ts';
import { GatewayError } from '../foundation/errors.ts';
import { parseWith } from '../foundation/parse.ts';
import { operation } from '../http/operation.ts';
import type { Principal, RequestContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import { imageKind } from '../images/image-kind.ts';
import { type ImageForm, streamImages } from '../images/image-stream.ts';
import { runImages } from '../images/images.ts';
import { writeImages } from '../images/write-images.ts';
import { refuseField } from '../wire/fields.ts';
import type { ImageParameters } from '../wire/image-capabilities.ts';
import {
  type ImageEndpoints,
  imageEndpointsSchema,
  type ImageModel,
  type ImageBody,
  imageBodySchema,
  imageModelListSchema,
  type ImagePrice,
  imageRequestSchema,
  type ImageRequest,
  imageResponseSchema,
  imageStreamSchema,
} from '../wire/images.ts';
import type { WholeKindParts } from './whole-call.ts';

/** `POST /images` */
export const createImages = operation<ImageParts>()({
  headers: CALL_HEADERS,
  body: imageBodySchema,
  response: { mediaTypes: { 'application/json': imageResponseSchema, 'text/event-stream': imageStreamSchema } },
  responseHeaders: CALL_RESPONSE_HEADERS,
  run: async ({ body, ...context }) => makeImages(await withPictures(body, context), context, ownForm),
});

/** The request with the contents of files in the place of their ids. */
async function withPictures(body: ImageBody, context: RequestContext<ImageParts>): Promise<ImageRequest> {
  const { input_references: references, mask, ...request } = body;
  const readStored = createPictureReader(context);
  const toPicture = async (picture: AnyPicture, path: string): Promise<Picture> =>
    picture.type === 'image_url' ? picture : readStored(picture.file.file_id, `${path}.file.file_id`);
  const pictures: Picture[] = [];
  for (const [index, reference] of (references ?? []).entries()) {
    pictures.push(await toPicture(reference, `input_references.${index}`));
  }
  return {
    ...request,
    ...(references !== undefined && { input_references: references && pictures }),
    ...(mask !== undefined && { mask: mask && (await toPicture(mask, 'mask')) }),
  };
}

/**
 * Creates what reads the stored files of one request as pictures, by their ids. Rejects with `invalid_request` at `path`
 * for a file that is not there, no picture, or too large together with those before.
 */
export function createPictureReader({
  parts,
  principal,
}: Pick<RequestContext<ImageParts>, 'parts' | 'principal'>): (id: string, path: string) => Promise<Picture> {
  let left = MAX_REQUEST_FILES_BYTES;
  return async (id, path) => {
    const { file, read } = await findNamedFile(parts.files, id, workspaceOf(principal), path);
    if (!file.mimeType.startsWith('image/')) throw refuseField(path, 'is not an image');
    left -= file.bytes;
    if (left < 0)
      throw refuseField(path, `is too large: files of one request have ${MAX_REQUEST_FILES_BYTES} bytes at most`);
    return toPicture(`data:${file.mimeType};base64,${await toBase64(read())}`);
  };
}

/** A picture at an address, or in a `data:` one. */
export const toPicture = (url: string): Picture => ({ type: 'image_url', image_url: { url } });

const workspaceOf = ({ workspaceId }: Principal): string => workspaceId ?? DEFAULT_WORKSPACE_ID;

type AnyPicture = NonNullable<ImageBody['mask']>;
type Picture = NonNullable<ImageRequest['mask']>;

export interface ImageParts extends WholeKindParts {
  /** Null where no files are stored. */
  readonly files: FileLibrary | null;
}

type MakeContext = Pick<RequestContext<WholeKindParts>, 'parts' | 'principal' | 'request' | 'responseHeaders'>;

/** Makes the images of a checked request, and writes them in a form. */
export async function makeImages(body: ImageRequest, context: MakeContext, form: ImageForm): Promise<GatewayResponse> {
  const hooked = { kind: 'image', request: body } as const;
  const request = await amendRequest(hooked, (value) => parseWith(imageRequestSchema, value), context);
  const call = receiveCall(imageKind, request, context);
  if (imageKind.isStreamed?.(call.request) === true) return streamImages(call, context, form);
  const whole = await runImages(call, context);
  const headers = { ...context.responseHeaders, 'content-type': 'application/json' };
  return { status: 200, headers, body: writeImages(form.toWhole(whole, toSeconds(context))) };
}

const toSeconds = ({ parts: { platform } }: MakeContext): number => Math.floor(platform.now() / 1000);

/** The form of the public API. */
const ownForm: ImageForm = {
  toWhole: ({ result: { images }, usage, routing }, created) => ({
    created,
    data: images.map(({ base64, mediaType }) => ({ b64_json: base64, media_type: mediaType })),
    usage,
    ...routing,
  }),
  toPart: (part) =>
    part.type === 'text'
      ? { type: 'image_generation.text_chunk', phase: part.phase, text: part.text }
      : { type: 'image_generation.partial_image', partial_image_index: part.index, b64_json: part.base64 },
  toCompleted: ({ result: { images }, usage, routing }, created) =>
    images.map(({ base64, mediaType }, index) => ({
      type: 'image_generation.completed',
      created,
      b64_json: base64,
      media_type: mediaType,
      ...(index === images.length - 1 && { usage, ...routing }),
    })),
};

type ShownParts = EndpointParts;

/** `GET /images/models`: models that make images; callers of models see those they may use. */
export const listImageModels = operation<ShownParts>()({
  response: imageModelListSchema,
  async run(context) {
    const shown = await findShownEndpoints(context);
    const models = context.parts.catalog.list().filter((model) => makesImages(model) && shown(model).length > 0);
    return { data: models.map(toImageModel) };
  },
});

/** `GET /images/models/{author}/{slug}/endpoints` */
export const listImageModelEndpoints = operation<ShownParts>()({
  params: ['author', 'slug'],
  response: imageEndpointsSchema,
  async run(context) {
    const { author, slug } = context.params;
    const model = context.parts.catalog.find(`${author}/${slug}`);
    const shown = model !== undefined && makesImages(model) ? (await findShownEndpoints(context))(model) : [];
    if (model === undefined || shown.length === 0) {
      throw new GatewayError('not_found', `There is no model ${`${author}/${slug}`.slice(0, 200)} that makes images`);
    }
    return { id: model.id, endpoints: shown.map((endpoint) => toImageEndpoint(endpoint, model)) };
  },
});

/** Models that write text beside their images are chat models, and make images here as well. */
const makesImages = ({ definition, endpoints }: CatalogModel): boolean =>
  definition.architecture?.output_modalities?.includes('image') === true &&
  endpoints.some(({ provider }) => provider.image !== undefined);

function toImageModel({ id, definition }: CatalogModel): ImageModel {
  const { architecture, image } = definition;
  return {
    id,
    name: definition.name ?? id,
    description: definition.description ?? '',
    created: definition.created ?? 0,
    architecture: {
      input_modalities: [...(architecture?.input_modalities ?? ['text'])],
      output_modalities: [...(architecture?.output_modalities ?? [])],
    },
    supported_parameters: parametersOf(image?.supported_parameters),
    supports_streaming: image?.supports_streaming ?? false,
    endpoints: `/api/v1/images/models/${id}/endpoints`,
  };
}

const parametersOf = (parameters: ImageParameters | undefined): ImageParameters => parameters ?? {};

function toImageEndpoint(
  { provider, tag, pricing }: Endpoint,
  { definition: { image } }: CatalogModel,
): ImageEndpoints['endpoints'][number] {
  return {
    provider_name: provider.name,
    provider_slug: provider.slug,
    provider_tag: tag,
    supported_parameters: parametersOf(image?.supported_parameters),
    allowed_passthrough_parameters: image?.allowed_passthrough_parameters ?? [],
    supports_streaming: image?.supports_streaming ?? false,
    pricing: PRICES.flatMap(([unit, price]) => {
      const text = pricing?.[unit];
      return text === undefined ? [] : [{ ...price, cost_usd: Number(text) }];
    }),
  };
}

/** What the prices of an endpoint are charged for. */
const PRICES = [
  ['generated_image', { billable: 'output_image', unit: 'image' }],
  ['generated_megapixel', { billable: 'output_image', unit: 'megapixel' }],
  ['image_output', { billable: 'output_image', unit: 'token' }],
  ['image', { billable: 'input_image', unit: 'image' }],
  ['image_token', { billable: 'input_image', unit: 'token' }],
  ['prompt', { billable: 'input_text', unit: 'token' }],
] as const satisfies readonly (readonly [string, Omit<ImagePrice, 'cost_usd'>])[];
