// Which layers is an index made of, and what does each keep of a document?
export { columnsLayer, columnsProfile } from './columns.ts'
export type { Amount, Fact, LayerDescription, LayerTable } from './description.ts'
export { discoverFields } from './discover-fields.ts'
export { documentsLayer, documentsProfile, documentsWriter } from './documents.ts'
export { FIELDS_MAX, FieldNames } from './field-names.ts'
export type { FieldPlan, FieldUse } from './field-plan.ts'
export type {
  BuildEnvironment,
  CheckEnvironment,
  Effect,
  LayerBuilder,
  LayerProfile,
  LayerWork,
  MergeEnvironment,
  MergeInput,
  OpenEnvironment,
  SegmentLayer,
  Written,
} from './layer.ts'
export { layerOf } from './layer.ts'
export {
  allLayerBits,
  anyFieldBits,
  derivedLayers,
  hasLayer,
  layerBit,
  layerBits,
  layersAffected,
  planOfLayers,
  profileNamed,
} from './layers.ts'
export { layerNamed, layerOfKind } from './lookup.ts'
export { LAYERS, PROFILES } from './registry.ts'
export { textLayer, textProfile } from './text.ts'
