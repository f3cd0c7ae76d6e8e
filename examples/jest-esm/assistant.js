import OpenAI from 'openai';

/** The application: it asks a model for summaries and stories, and knows nothing of tests. */
export function createAssistant({ baseUrl, apiKey, model = 'openai/gpt-4o-mini' }) {
  const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });
  const ask = (content) => ({ model, messages: [{ role: 'user', content }] });
  return {
    async summarise(text) {
      const completion = await client.chat.completions.create(ask(`Summarise in five words: ${text}`));
      return completion.choices[0]?.message.content ?? '';
    },
    /** Yields the pieces of a story as they come. */
    async *tell(subject) {
      const stream = await client.chat.completions.create({
        ...ask(`Tell a very short story of ${subject}.`),
        stream: true,
      });
      for await (const { choices } of stream) {
        const piece = choices[0]?.delta.content;
        if (piece) yield piece;
      }
    },
  };
}
