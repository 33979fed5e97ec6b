// The common part of settings that name one attribute, whose values are kept as a column.
import { nullable, text } from '../../../format/schema/index.ts'
import { namesInside } from './field-patterns.ts'
import { replace } from './patches.ts'

export const ATTRIBUTE_COLUMN = {
  change: 'whole',
  default: null,
  stored: nullable(text),
  merge: replace,
  fieldNames: (name: string | null) => (name === null ? [] : [name]),
  keeps: {
    layer: 'columns',
    fields: (name: string | null) => ({
      holds: (field: string) => field === name,
      holdsBelow: (field: string) => name !== null && namesInside(field, name),
    }),
  },
} as const
