import { createHandler, type Handler } from './create-handler.ts';

let handle: Handler | undefined;

/** A worker whose gateway is made within its first request. */
export default {
  fetch: (request: Request, _env: unknown, context: object): ReturnType<Handler> =>
    (handle ??= createHandler())(request, context),
};
