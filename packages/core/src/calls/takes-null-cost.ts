/**
 * Whether the caller's client takes `null` for a cost that is not known. The AI SDK's provider (seen in 3.1) does not: it
 * fails the whole call, so that its users could use no model without a price. It is left without the field instead
 * (docs/decisions/0007).
 */
export function takesNullCost(userAgent: string | null | undefined): boolean {
  return userAgent?.includes('ai-sdk/openrouter/') !== true;
}
