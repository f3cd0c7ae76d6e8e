import { createHandler, type Handler } from './create-handler.ts';

const handle = createHandler();

/** A worker whose gateway is made before any request. */
export default {
  fetch: (request: Request, _env: unknown, context: object): ReturnType<Handler> => handle(request, context),
};
