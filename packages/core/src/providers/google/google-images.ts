import { z } from 'zod';

import { GatewayError } from '../../foundation/errors.ts';
import { checkWith, parseJson } from '../../foundation/parse.ts';
import { refuseField } from '../../wire/fields.ts';
import { toAspectRatio, toResolution } from '../../wire/image-frame.ts';
import type { ImageCall, ImageOrder } from '../image-contract.ts';
import { askWhole } from '../kit/ask-whole.ts';
import { createImagesByChat } from '../kit/images-by-chat.ts';
import { toImageResult } from '../kit/made-images.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { toPublicText } from '../kit/upstream-error.ts';
import type { Provider, WholeProvider } from '../provider.ts';
import { toModelPath } from './models.ts';
import { readGoogleErrorBody } from './read-google-error.ts';

const responseSchema = z.object({
  predictions: z
    .array(
      z.object({
        bytesBase64Encoded: z.string().nullish(),
        mimeType: z.string().nullish(),
        /** In place of an image that the filters of the provider have taken out. */
        raiFilteredReason: z.string().nullish(),
      }),
    )
    .nullish(),
});

/**
 * Creates the images of a provider over Google's wire: Gemini makes them in a chat (`generateContent`), Imagen by
 * predictions (`predict`), which count no tokens.
 */
export function createGoogleImages(
  upstream: Upstream,
  chatWhole: NonNullable<WholeProvider['chatWhole']>,
): NonNullable<Provider['image']> {
  const makeInChat = createImagesByChat({ providerName: upstream.name, modalities: ['image'], chatWhole });
  const predict: NonNullable<Provider['image']> = async (call) => {
    const { providerModel, onSent, signal, timeoutMs } = call;
    const body = toPrediction(call);
    onSent?.('google', body);
    const text = await askWhole(upstream, readGoogleErrorBody, {
      url: `${upstream.baseUrl}/${toModelPath(providerModel)}:predict`,
      body: JSON.stringify(body),
      signal,
      timeoutMs,
    });
    const response = checkWith(responseSchema, parseJson(text));
    if (!response.success) {
      throw new GatewayError('provider_unavailable', `${upstream.name} returned a response without images`);
    }
    const predictions = response.data.predictions ?? [];
    const images = predictions.flatMap(({ bytesBase64Encoded: base64, mimeType }) =>
      base64 == null ? [] : [{ base64, mediaType: mimeType ?? undefined }],
    );
    const reason = predictions.find(({ raiFilteredReason }) => raiFilteredReason != null)?.raiFilteredReason;
    return toImageResult({ images }, upstream.name, toPublicText(reason ?? undefined, upstream.secrets));
  };
  return (call) => (IMAGEN.test(call.providerModel) ? predict(call) : makeInChat(call));
}

const IMAGEN = /(?:^|\/)imagen-/i;

function toPrediction({ order, providerModel }: ImageCall): object {
  if (order.references.length > 0) throw refuseField('input_references', `${providerModel} reads no images`);
  return { instances: [{ prompt: order.prompt }], parameters: { ...order.options, ...toParameters(order) } };
}

function toParameters({ count, frame, output_format: format, output_compression: compression }: ImageOrder): object {
  const ratio = toAspectRatio(frame);
  const size = toResolution(frame);
  return {
    sampleCount: count,
    ...(ratio !== undefined && { aspectRatio: ratio }),
    ...(size !== undefined && { sampleImageSize: size }),
    ...(format != null && {
      outputOptions: {
        mimeType: `image/${format}`,
        ...(compression != null && format === 'jpeg' && { compressionQuality: compression }),
      },
    }),
  };
}
