// Which layers is an index made of, and what does each keep of a document?
export { columnsLayer } from './columns.ts'
export type { Amount, Fact, LayerDescription, LayerTable } from './description.ts'
export { discoverFields } from './discover-fields.ts'
export { documentsLayer, documentsWriter } from './documents.ts'
export { FIELDS_MAX, FieldNames } from './field-names.ts'
export type { FieldPlan, FieldUse } from './field-plan.ts'
export type {
  BuildEnvironment,
  CheckEnvironment,
  Effect,
  LayerBuilder,
  MergeEnvironment,
  MergeInput,
  OpenEnvironment,
  SegmentLayer,
  Written,
} from './layer.ts'
export {
  ALL_LAYERS,
  anyFieldBits,
  derivedLayers,
  hasLayer,
  layerBit,
  layerBits,
  layerNamed,
  layerOfKind,
  layersAffected,
  planOfLayers,
} from './layers.ts'
export { LAYERS } from './registry.ts'
export { textLayer } from './text.ts'
