/** The wire formats of providers. */
export const WIRES = [
  'openai',
  'openai-responses',
  'anthropic',
  'google',
  'fal',
  'replicate',
  'elevenlabs',
  'deepgram',
  'bedrock',
] as const;
export type Wire = (typeof WIRES)[number];
