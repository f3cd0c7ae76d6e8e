import type { z } from 'zod';

import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import type { CallKind } from '../calls/call-kind.ts';
import { type ModelCall, receiveCall } from '../calls/model-call.ts';
import type { RegionOf } from '../calls/regions.ts';
import { amendRequest, type HookedRequest, type HookParts } from '../calls/request-hook.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import type { WholeCallParts } from '../dispatch/run-whole-call.ts';
import { parseWith } from '../foundation/parse.ts';
import { type Operation, operation } from '../http/operation.ts';

/** What calls of an unstreamed kind use of a gateway. */
export interface WholeKindParts extends WholeCallParts, HookParts {
  readonly regionOf: RegionOf;
}

interface WholeCall<Request, Response extends z.ZodType> {
  readonly kind: CallKind<Request>;
  /** Checks the body, and what the hook of the host makes of it. */
  readonly body: z.ZodType<Request>;
  readonly response: Response;
  readonly run: (call: ModelCall<Request>, context: CallContext<WholeCallParts>) => Promise<z.output<Response>>;
}

/** Defines the operation of an unstreamed kind of call, whose request and response are JSON. */
export function wholeCall<Request extends HookedRequest['request'], Response extends z.ZodType>({
  kind,
  body: schema,
  response,
  run,
}: WholeCall<Request, Response>): Operation<WholeKindParts> {
  // What `run` returns is checked against it above; here any JSON would do.
  const documented: z.ZodType = response;
  return operation<WholeKindParts>()({
    headers: CALL_HEADERS,
    body: schema,
    response: documented,
    responseHeaders: CALL_RESPONSE_HEADERS,
    async run({ body, ...context }) {
      const hooked = { kind: kind.name, request: body } as HookedRequest;
      const request = await amendRequest(hooked, (value) => parseWith(schema, value), context);
      return run(receiveCall(kind, request as Request, context), context);
    },
  });
}
