// The layers of an index.
export { columnsLayer } from './columns.ts'
export type { Amount, LayerDescription, LayerTable } from './description.ts'
export { discoverFields } from './discover-fields.ts'
export { documentsLayer, documentsProfile, documentsWriter } from './documents.ts'
export { FieldNames } from './field-names.ts'
export type { FieldPlan } from './field-plan.ts'
export type { BuildEnvironment, LayerBuilder, SegmentLayer, Written } from './layer.ts'
export {
  allLayerBits,
  anyFieldBits,
  derivedLayers,
  hasExtension,
  hasLayer,
  layerBit,
  layerBits,
  layersAffected,
  planOfLayers,
  profileNamed,
} from './layers.ts'
export { layerNamed, layerOfKind } from './lookup.ts'
export { LAYERS, PROFILES } from './registry.ts'
export { textLayer } from './text.ts'
export { vectorsLayer, vectorsProfile } from './vectors.ts'
