import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { operation } from '../http/operation.ts';
import { sampleDataDeletedSchema, sampleDataResponseSchema, type SampleDataState } from '../wire/sample-data.ts';

export interface SampleDataParts {
  /** Undefined where the host has none. */
  readonly sampleData: SampleData | undefined;
}

/** Made-up records that the host has put into its own store, to show what a gateway in use looks like. */
export interface SampleData {
  /** Null once they are deleted. */
  describe(): Awaitable<SampleDataState | null>;
  /** Deletes them, and nothing else. Without any, it does nothing. */
  remove(): Promise<void>;
}

/** `GET /admin/v1/sample-data` */
export const getSampleData = operation<SampleDataParts>()({
  response: sampleDataResponseSchema,
  run: async ({ parts }) => ({ data: (await parts.sampleData?.describe()) ?? null }),
});

/** `DELETE /admin/v1/sample-data` */
export const deleteSampleData = operation<SampleDataParts>()({
  response: sampleDataDeletedSchema,
  errors: ['not_found'],
  async run({ parts: { sampleData } }) {
    if (sampleData === undefined) throw new GatewayError('not_found', 'This gateway has no sample data');
    await sampleData.remove();
    return { deleted: true };
  },
});
