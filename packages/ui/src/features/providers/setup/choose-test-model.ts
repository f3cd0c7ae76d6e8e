/** Names of models that do not chat, or that cost much for a test. */
const NO_CHAT =
  /embed|rerank|whisper|tts|speech|audio|realtime|transcri|dall-e|image|imagen|sora|veo|video|moderation|guard|ocr|babbage|davinci|turbo-instruct|search|computer-use|deep-research|aqa/i;
/** Small models, which answer fast and cost little. */
const SMALL = /(?:^|[-_./:])(?:mini|nano|lite|flash|haiku|small|instant|[1-8]b)(?![a-z\d])/i;

/** The model of a provider's own list that a test request goes to: a small one that chats, as far as names tell. */
export function chooseTestModel(models: readonly string[]): string {
  const chats = models.filter((id) => !NO_CHAT.test(id));
  return chats.find((id) => SMALL.test(id)) ?? chats[0] ?? models[0] ?? '';
}
