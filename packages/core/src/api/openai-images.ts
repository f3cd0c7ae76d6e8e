import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { toBase64 } from '../files/resolve-files.ts';
import { parseWith } from '../foundation/parse.ts';
import { type Form, type FormFile, readForm, toObject } from '../http/multipart.ts';
import { operation } from '../http/operation.ts';
import type { ImageForm } from '../images/image-stream.ts';
import type { Usage } from '../wire/chat-chunk.ts';
import { refuseField } from '../wire/fields.ts';
import type { ImageRequest } from '../wire/images.ts';
import {
  openAiImageFieldsSchema,
  openAiImageFormSchema,
  type OpenAiImageRequest,
  openAiImageRequestSchema,
  openAiImageResponseSchema,
  openAiImageStreamSchema,
  type OpenAiImageUsage,
} from '../wire/openai-images.ts';
import { createPictureReader, type ImageParts, makeImages, toPicture } from './images.ts';
import type { WholeKindParts } from './whole-call.ts';

const COMMON = {
  headers: CALL_HEADERS,
  response: {
    mediaTypes: { 'application/json': openAiImageResponseSchema, 'text/event-stream': openAiImageStreamSchema },
  },
  responseHeaders: CALL_RESPONSE_HEADERS,
} as const;

/** `POST /images/generations`: the same call in the form of OpenAI's clients. */
export const createOpenAiImage = operation<WholeKindParts>()({
  ...COMMON,
  body: openAiImageRequestSchema,
  run: ({ body, ...context }) => makeImages(toRequest(body), context, toForm('image_generation', body)),
});

const MAX_FORM_BYTES = 64 * 1024 * 1024;
const MAX_PICTURES = 16;
const PICTURE_TYPE = /^image\/[\w.+-]{1,40}$/;

/** `POST /images/edits`: images made after pictures, which are files of a form, or stored files that it names. */
export const editOpenAiImage = operation<ImageParts>()({
  ...COMMON,
  body: { readByRun: openAiImageFormSchema, mediaType: 'multipart/form-data' },
  async run(context) {
    const form = await readForm(context.request, MAX_FORM_BYTES, readPicture);
    const fields = parseWith(openAiImageFieldsSchema, toObject(form.fields));
    const request: ImageRequest = { ...toRequest(fields), ...(await readPictures(form, createPictureReader(context))) };
    return makeImages(request, context, toForm('image_edit', fields));
  },
});

type Pictures = Pick<ImageRequest, 'input_references' | 'mask'>;

/** The pictures of a form: its files first, then those of the ids that it has in their place. */
async function readPictures(
  { fields, files }: Form<string>,
  readStored: ReturnType<typeof createPictureReader>,
): Promise<Pictures> {
  const idsOf = (name: string) => (fields.get(name) ?? []).map((id) => ({ id, name }));
  const ids = [...idsOf('image'), ...idsOf('file_id')];
  const references = files.filter(({ field }) => field === 'image').map(({ file }) => toPicture(file));
  const count = references.length + ids.length;
  if (count === 0) throw refuseField('image', 'is required');
  if (count > MAX_PICTURES) throw refuseField('image', `must be at most ${MAX_PICTURES} files`);
  for (const { id, name } of ids) references.push(await readStored(id, name));
  const mask = files.find(({ field }) => field === 'mask');
  if (mask !== undefined) return { input_references: references, mask: toPicture(mask.file) };
  const [id] = fields.get('mask') ?? [];
  return { input_references: references, ...(id !== undefined && { mask: await readStored(id, 'mask') }) };
}

/** The fields of our own form: what OpenAI calls by other names, and previews only where they are asked for. */
function toRequest({
  quality,
  response_format: _format,
  partial_images: previews,
  ...fields
}: OpenAiImageRequest): ImageRequest {
  return { ...fields, partial_images: previews ?? 0, ...(quality != null && { quality: QUALITY[quality] }) };
}

const QUALITY = {
  auto: 'auto',
  low: 'low',
  medium: 'medium',
  standard: 'medium',
  high: 'high',
  hd: 'high',
  xhigh: 'high',
  max: 'high',
} as const satisfies Record<NonNullable<OpenAiImageRequest['quality']>, ImageRequest['quality']>;

/** Reads a file of the form as `data:`. */
async function readPicture({ field, mediaType, pieces }: FormFile): Promise<string> {
  if (field !== 'image' && field !== 'mask') throw refuseField(field, 'is no file of this form: image and mask are');
  if (!PICTURE_TYPE.test(mediaType)) throw refuseField(field, 'must be an image, declared as one');
  return `data:${mediaType};base64,${await toBase64(pieces)}`;
}

/** The form of OpenAI's answers. `name`: how its events begin. */
function toForm(name: 'image_generation' | 'image_edit', request: OpenAiImageRequest): ImageForm {
  const about = (created: number, format: string) => ({
    created_at: created,
    background: request.background ?? 'auto',
    output_format: format,
    quality: request.quality ?? 'auto',
    size: request.size ?? 'auto',
  });
  const asked = request.output_format ?? 'png';
  return {
    toWhole: ({ result: { images }, usage, routing }, created) => ({
      created,
      data: images.map(({ base64 }) => ({ b64_json: base64 })),
      output_format: toFormat(images[0]?.mediaType) ?? asked,
      usage: toUsage(usage),
      ...routing,
    }),
    toPart: (part, created) =>
      // Its clients know no text of an image.
      part.type === 'text'
        ? null
        : {
            type: `${name}.partial_image`,
            partial_image_index: part.index,
            b64_json: part.base64,
            ...about(created, asked),
          },
    toCompleted: ({ result: { images }, usage }, created) =>
      images.map(({ base64, mediaType }) => ({
        type: `${name}.completed`,
        b64_json: base64,
        ...about(created, toFormat(mediaType) ?? asked),
        usage: toUsage(usage),
      })),
  };
}

const toFormat = (mediaType: string | undefined): string | undefined => mediaType?.replace(/^image\//, '');

function toUsage({ prompt_tokens, completion_tokens, total_tokens, cost, ...details }: Usage): OpenAiImageUsage {
  const read = details.prompt_tokens_details?.image_tokens ?? 0;
  const made = details.completion_tokens_details?.image_tokens ?? 0;
  return {
    input_tokens: prompt_tokens,
    output_tokens: completion_tokens,
    total_tokens,
    input_tokens_details: { text_tokens: prompt_tokens - read, image_tokens: read },
    output_tokens_details: { text_tokens: completion_tokens - made, image_tokens: made },
    ...(cost !== undefined && { cost }),
  };
}
