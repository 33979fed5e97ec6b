// Attributes that hold ids of documents of other indexes.
import type { IndexUid } from '../../../format/ids.ts'
import { identifying, list, object, text } from '../../../format/schema/index.ts'
import { replace, setting } from '../schema/index.ts'

export type ForeignKey = { readonly foreignIndexUid: IndexUid; readonly fieldName: string }

export const foreignKeys = setting<readonly ForeignKey[]>()({
  code: 'invalid_settings_foreign_keys',
  advice: 'send an array of `{"foreignIndexUid": …, "fieldName": …}`.',
  change: 'whole',
  feature: 'foreignKeys',
  default: [],
  stored: list(
    object<ForeignKey>({ foreignIndexUid: identifying<IndexUid>(text), fieldName: text }),
  ),
  merge: replace,
})
