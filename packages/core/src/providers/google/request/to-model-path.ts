/** `gemini-x` is a model; a name with a slash contains its own kind (`tunedModels/x`). */
export function toModelPath(providerModel: string): string {
  const path = providerModel.includes('/') ? providerModel : `models/${providerModel}`;
  return path.split('/').map(encodeURIComponent).join('/');
}
