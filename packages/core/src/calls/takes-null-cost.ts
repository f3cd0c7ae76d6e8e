/**
 * Whether the caller's client takes `null` for a cost that is not known. The AI SDK does not (seen in its provider 3.1):
 * it fails the whole call, so that its users could use no model without a price. It gets no such field instead
 * (docs/decisions/0007). Every request of the AI SDK names it, whatever else the header says.
 */
export function takesNullCost(userAgent: string | null | undefined): boolean {
  return userAgent?.includes('ai-sdk/') !== true;
}
