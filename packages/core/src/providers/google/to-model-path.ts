/** `gemini-x` is a model; a name with a slash says itself what it is (`tunedModels/x`). */
export function toModelPath(providerModel: string): string {
  const path = providerModel.includes('/') ? providerModel : `models/${providerModel}`;
  return path.split('/').map(encodeURIComponent).join('/');
}
