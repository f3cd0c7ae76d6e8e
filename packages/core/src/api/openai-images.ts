import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/model-call.ts';
import { parseWith } from '../foundation/parse.ts';
import { type FormFile, readForm, toObject } from '../http/multipart.ts';
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
import { makeImages } from './images.ts';
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

/** `POST /images/edits`: images made after pictures, which are files of a form. */
export const editOpenAiImage = operation<WholeKindParts>()({
  ...COMMON,
  body: { readByRun: openAiImageFormSchema, mediaType: 'multipart/form-data' },
  async run(context) {
    const form = await readForm(context.request, MAX_FORM_BYTES, readPicture);
    const fields = parseWith(openAiImageFieldsSchema, toObject(form.fields));
    const references = form.files.filter(({ field }) => field === 'image').map(({ file }) => toPicture(file));
    const mask = form.files.find(({ field }) => field === 'mask');
    if (references.length === 0) throw refuseField('image', 'is required');
    if (references.length > MAX_PICTURES) throw refuseField('image', `must be at most ${MAX_PICTURES} files`);
    const request: ImageRequest = {
      ...toRequest(fields),
      input_references: references,
      ...(mask !== undefined && { mask: toPicture(mask.file) }),
    };
    return makeImages(request, context, toForm('image_edit', fields));
  },
});

const toPicture = (url: string) => ({ type: 'image_url' as const, image_url: { url } });

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
  const name = field.replace(/\[\]$/, '');
  if (name !== 'image' && name !== 'mask') throw refuseField(name, 'is no file of this form: image and mask are');
  if (!PICTURE_TYPE.test(mediaType)) throw refuseField(name, 'must be an image, declared as one');
  return `data:${mediaType};base64,${await toBase64(pieces)}`;
}

/** Three bytes are four characters: what is left over goes on with the next piece. */
async function toBase64(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  let rest = '';
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += STEP) {
      const binary = rest + String.fromCharCode(...piece.subarray(at, at + STEP));
      const whole = binary.length - (binary.length % 3);
      text += btoa(binary.slice(0, whole));
      rest = binary.slice(whole);
    }
  }
  return text + btoa(rest);
}

const STEP = 24 * 1024;

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
