import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { findReadableGeneration } from '../generations/find-readable-generation.ts';
import { readJsonBody } from '../read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { saveFixtureRequestSchema } from '../schemas/fixture-library.ts';
import { parseWith } from '../schemas/parse-with.ts';
import { findFixtureLibrary } from './fixtures.ts';

/** `POST /admin/v1/fixtures`: makes a fixture of a stored generation. */
export async function saveFixture(context: RequestContext): Promise<GatewayResponse> {
  const { generation_id: id } = parseWith(saveFixtureRequestSchema, await readJsonBody(context.request));
  const library = findFixtureLibrary(context);
  const { generation } = await findReadableGeneration(id, context);
  if (generation.api_type !== 'completions') {
    throw new GatewayError(
      'invalid_request',
      `generation_id: ${id} is a video; only chat completions can be saved, and videos recorded with --record`,
    );
  }
  const content = await context.runtime.store.generations.getContent(id);
  if (content === undefined) {
    throw new GatewayError(
      'not_found',
      `No content is stored for generation ${id}, so there is nothing to answer with; see logging.inputOutput`,
    );
  }
  const brokeOff = content.error !== null && content.output.completion !== null;
  if (brokeOff || generation.cancelled === true) {
    throw new GatewayError('conflict', `The answer of ${id} is not whole; replayed it would pass for one that is`);
  }
  return toJsonResponse(201, { data: await library.save({ generation, content }) });
}
