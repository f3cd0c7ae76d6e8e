/** The tool that the scripted models `tools` and `parallel-tools` call. */
export const WEATHER_TOOL = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** Result of the tool; takes the arguments as the model wrote them. */
export function weatherOf(args: string): string {
  const { city } = JSON.parse(args) as { city: string };
  return `sunny in ${city}`;
}

/** One transparent pixel. */
export const PIXEL_URL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** The schema that the scripted model `json-schema` keeps to. */
export const CITY_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, country: { type: 'string' } },
  required: ['city', 'country'],
  additionalProperties: false,
};
