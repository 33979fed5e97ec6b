// The attribute whose value says until when a document is found. Its values are kept as a column;
// filters and sorts may use it only if their own settings name it.
import { ATTRIBUTE_COLUMN, setting } from '../schema/index.ts'

export const expiresAtAttribute = setting<string | null>()({
  ...ATTRIBUTE_COLUMN,
  code: 'invalid_settings_expires_at_attribute',
  advice: 'send a name, or `null` for documents that never expire.',
  isLeftOutUnlessSet: true,
})
