import { openApi } from '../../../api/call-api.ts';
import type { KindCall, KindOutcome } from './kind-spec.ts';

/** Who makes the calls of the playground, in their records. */
const USER = 'playground';

/** Makes a call and hands on the response, with the id of its generation. Throws `ApiError`. */
export async function sendKind(path: string, body: object, { caller, signal }: KindCall) {
  const response = await openApi(`/api/v1${path}`, { method: 'POST', body: { user: USER, ...body }, caller, signal });
  return { response, generationId: response.headers.get('x-generation-id') };
}

/** The same of a call whose response is JSON. */
export async function sendJson<Result>(path: string, body: object, call: KindCall): Promise<KindOutcome<Result>> {
  const { response, generationId } = await sendKind(path, body, call);
  return { result: (await response.json()) as Result, generationId };
}
