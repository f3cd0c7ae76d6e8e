export { findObstacle, reachOf, type Reach } from './address.ts';
export {
  type Client,
  type ConnectedModel,
  type Connection,
  differsBySystem,
  type FieldsStep,
  hasSettingsFile,
  type Language,
  type SnippetStep,
  type Step,
  stepsFor,
  type System,
  type Wire,
} from './client.ts';
export {
  chooseModel,
  findTextModels,
  hasTokenPrices,
  type ListedModel,
  toConnectedModel,
  toKeyName,
} from './connected-model.ts';
export { CLIENTS, searchClients } from './clients.ts';
