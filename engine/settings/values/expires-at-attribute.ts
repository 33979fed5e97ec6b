// The attribute whose value says until when a document is found. Its values are kept as a column;
// filters and sorts may use it only if their own settings name it.
import { nullable, text } from '../../../format/schema/index.ts'
import { namesInside, replace, setting } from '../schema/index.ts'

export const expiresAtAttribute = setting<string | null>()({
  code: 'invalid_settings_expires_at_attribute',
  advice: 'send a name, or `null` for documents that never expire.',
  change: 'whole',
  default: null,
  isLeftOutUnlessSet: true,
  stored: nullable(text),
  merge: replace,
  fieldNames: (name) => (name === null ? [] : [name]),
  keeps: {
    layer: 'columns',
    fields: (name) => ({
      holds: (field) => field === name,
      holdsBelow: (field) => name !== null && namesInside(field, name),
    }),
  },
})
