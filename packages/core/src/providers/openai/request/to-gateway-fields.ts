import type { ChatCall } from '../../provider.ts';

/** The fields that only a gateway takes; what this one does itself is not among them. */
export function toGatewayFields({ request, onward }: ChatCall): Record<string, unknown> {
  return {
    ...(request.image_config && { image_config: request.image_config }),
    ...(onward?.preferences && { provider: onward.preferences }),
    ...(onward !== undefined && onward.plugins.length > 0 && { plugins: onward.plugins }),
  };
}
